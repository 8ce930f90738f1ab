import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { answerParent, readArgument, tellParent } from "../../process/answer-parent";
import type { Framework, ServerName, Stack } from "../server-name";
import { expressServer } from "./express-server";
import { fastifyServer } from "./fastify-server";
import { koaServer } from "./koa-server";
import { nodeServer } from "./node-server";

/**
 * Answers every question of the parent with the processor time that this process has used, in ms.
 */
async function processorMs(): Promise<number> {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const serverOf: Readonly<Record<Framework, (stack: Stack) => Server | Promise<Server>>> = {
  node: nodeServer,
  express: expressServer,
  koa: koaServer,
  fastify: fastifyServer,
};

const { framework, stack } = readArgument<ServerName>();
const server = await serverOf[framework](stack);
// Connections stay open while other servers are measured, also before their first request.
server.keepAliveTimeout = 600_000;
server.headersTimeout = 0;
server.requestTimeout = 0;
server.listen(0, "127.0.0.1", () => tellParent((server.address() as AddressInfo).port));
answerParent(processorMs);
