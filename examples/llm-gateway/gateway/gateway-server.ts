import type { Server } from "node:http";
import type { AdapterName } from "./adapter/adapter-name";
import { expressServer } from "./adapter/express";
import { fastifyServer } from "./adapter/fastify";
import { koaServer } from "./adapter/koa";
import { nodeServer } from "./adapter/node";
import { Gateway, type Limiting } from "./gateway";
import type { GatewaySettings } from "./gateway-settings";

const adapters: Readonly<Record<AdapterName, (gateway: Gateway) => Server | Promise<Server>>> = {
  node: nodeServer,
  express: expressServer,
  koa: koaServer,
  fastify: fastifyServer,
};

/** An OpenAI-compatible gateway: first the gate, then the key, then the limits of the key. */
export async function createGatewayServer(
  settings: GatewaySettings,
  limiting: Limiting,
): Promise<Server> {
  const server = await adapters[settings.adapter](new Gateway(settings, limiting));
  // Idle clients keep their connections, so that none is closed under a request on its way.
  server.keepAliveTimeout = 120_000;
  return server;
}
