import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttp2Server, type Http2Server } from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import { pipeline, type Readable } from "node:stream";
import type { Gate, Limiter, Question } from "@sluice/core";
import { expressGate, expressLimits } from "@sluice/express";
import { fastifyGate, fastifyLimits } from "@sluice/fastify";
import { koaGate, koaLimits } from "@sluice/koa";
import { type AdmissionLog, createNodeGate, createNodeLimits } from "@sluice/node";
import express from "express";
import { fastify } from "fastify";
import Koa from "koa";

export type Protocol = "http1" | "http2";

/** What stands before the one route of a server, and what that answers. */
export interface Setting {
  readonly gate?: Gate;
  readonly limits?: { readonly limiter: Limiter; readonly policy: () => Question };
  readonly admissionEvents: AdmissionLog<unknown>;
  readonly answer: () => Promise<string | Readable>;
}

export interface Started {
  readonly port: number;
  close(): Promise<unknown>;
}

type Start = (setting: Setting) => Promise<Started>;
type Listener = (req: IncomingMessage, res: ServerResponse) => unknown;

/** The adapters, each with the protocols that it can be served by. */
export const servers: readonly (readonly [string, Protocol, Start])[] = [
  ["Node.js", "http1", (setting) => listen(createServer(nodeListener(setting)))],
  ["Node.js", "http2", (setting) => listen(http2Of(nodeListener(setting)))],
  ["Express", "http1", (setting) => listen(createServer(expressApp(setting)))],
  ["Koa", "http1", (setting) => listen(createServer(koaApp(setting).callback()))],
  ["Koa", "http2", (setting) => listen(http2Of(koaApp(setting).callback()))],
  ["Fastify", "http1", (setting) => startFastify(setting, false)],
  ["Fastify", "http2", (setting) => startFastify(setting, true)],
];

function nodeListener({ gate, limits, admissionEvents, answer }: Setting): Listener {
  const handler: Listener = async (_req, res) => {
    const body = await answer();
    if (typeof body === "string") res.end(body);
    else pipeline(body, res, () => {});
  };
  const guarded = limits
    ? createNodeLimits({ ...limits, admissionEvents }).wrap(handler as never)
    : handler;
  return (
    gate ? createNodeGate({ gate, admissionEvents }).wrap(guarded as never) : guarded
  ) as Listener;
}

function expressApp({ gate, limits, admissionEvents, answer }: Setting): express.Express {
  const app = express();
  if (gate) app.use(expressGate({ gate, admissionEvents }));
  if (limits) app.use(expressLimits({ ...limits, admissionEvents }));
  app.get("/", async (_req, res) => {
    const body = await answer();
    if (typeof body === "string") res.send(body);
    else pipeline(body, res, () => {});
  });
  return app;
}

function koaApp({ gate, limits, admissionEvents, answer }: Setting): Koa {
  const app = new Koa();
  app.silent = true;
  if (gate) app.use(koaGate({ gate, admissionEvents }));
  if (limits) app.use(koaLimits({ ...limits, admissionEvents }));
  app.use(async (ctx) => {
    ctx.body = await answer();
  });
  return app;
}

async function startFastify(setting: Setting, isHttp2: boolean): Promise<Started> {
  const { gate, limits, admissionEvents, answer } = setting;
  const app = fastify(isHttp2 ? ({ http2: true } as object) : {});
  if (gate) await app.register(fastifyGate, { gate, admissionEvents });
  if (limits) await app.register(fastifyLimits, { ...limits, admissionEvents });
  app.get("/", () => answer());
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });
  return { port: Number(new URL(origin).port), close: () => app.close() };
}

function http2Of(listener: Listener): Http2Server {
  return createHttp2Server(listener as never);
}

export async function listen(server: Server): Promise<Started> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        for (const socket of sockets) socket.destroy();
      }),
  };
}
