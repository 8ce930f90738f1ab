import {
  type AdapterMount,
  type AdapterScenario,
  type AnswerBehaviour,
  bodyLength,
  type RunningAdapter,
} from "@sluice/testing";
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifyServerOptions,
  fastify,
} from "fastify";
import { fastifyGate, fastifyLimits, fastifyRejections } from "../../src/index";

/** A Fastify application for a scenario of the conformance suite. */
export async function startFastify(
  create: typeof fastify,
  scenario: AdapterScenario,
  loggerOption: "logger" | "loggerInstance",
): Promise<RunningAdapter> {
  const http2 = scenario.protocol === "http2";
  const options = { http2, [loggerOption]: loggerOf(scenario) };
  const app = create(options as FastifyServerOptions) as FastifyInstance;
  // Handlers get the body as a stream.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, body, done) => done(null, body));
  app.setErrorHandler((error, _request, reply) => {
    scenario.heard(error);
    if (error instanceof Error) return reply.send(error);
    return reply.code(500).send(new Error("thrown was no error"));
  });
  const handler = (request: FastifyRequest, reply: FastifyReply) => route(scenario, request, reply);
  const { rejections = "answer" } = scenario.mounts.at(-1)?.options ?? {};
  register(app, scenario, "/");
  app.register(async (scope) => {
    scope.setErrorHandler(fastifyRejections({ rejections }));
    scope.all("/do/*", handler);
  });
  app.register(
    async (scope) => {
      scope.setErrorHandler(fastifyRejections({ rejections }));
      register(scope, scenario, "/api");
      scope.all("/do/*", handler);
    },
    { prefix: "/api" },
  );
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });
  return {
    port: Number(new URL(origin).port),
    close: () => app.close(),
    onUpgrade: (listener) => void app.server.on("upgrade", (_req, socket) => listener(socket)),
  };
}

/** Hears of errors that come too late for the error handler: those that are logged bare. */
function loggerOf({ heard }: AdapterScenario): FastifyBaseLogger {
  const silent = () => {};
  const error = (given: unknown) => void (given instanceof Error && heard(given));
  const levels = { fatal: silent, warn: silent, info: silent, debug: silent, trace: silent };
  const logger = { ...levels, error, silent, level: "error", child: () => logger };
  return logger as FastifyBaseLogger;
}

function register(app: FastifyInstance, { mounts }: AdapterScenario, at: AdapterMount["at"]): void {
  for (const [i, mount] of mounts.entries()) {
    if (mount.at !== at) continue;
    const name = `${mount.kind}-${i}`;
    for (let times = 0; times < mount.times; times += 1) {
      if (mount.kind === "gate") {
        app.register(fastifyGate, { gate: mount.gate, name, ...mount.options });
      } else {
        app.register(fastifyLimits, { limiter: mount.limiter, name, ...mount.options });
      }
    }
  }
}

function route(scenario: AdapterScenario, request: FastifyRequest, reply: FastifyReply): unknown {
  const { method, originalUrl: url, verdict } = request;
  const behaviour = scenario.behave({ method, url, verdict });
  switch (behaviour.does) {
    case "answer":
      if (behaviour.after || behaviour.reads) return answerLater(behaviour, request, reply);
      return answer(behaviour, reply);
    case "stream":
      return reply.send(behaviour.source);
    case "take": {
      reply.hijack();
      const headers = Object.entries(reply.getHeaders());
      for (const [name, value] of headers) reply.raw.setHeader(name, value as string);
      return behaviour.write(reply.raw);
    }
    case "throw":
      if (behaviour.hasBegun) reply.raw.write("begun");
      throw behaviour.error;
    case "reject":
      return behaviour.after.then(() => Promise.reject(behaviour.error));
    case "redirect":
      return reply.redirect(behaviour.to);
  }
}

async function answerLater(
  behaviour: AnswerBehaviour,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (behaviour.reads) {
    behaviour.onRead?.(await bodyLength(request.body as AsyncIterable<Uint8Array>));
  }
  await behaviour.after;
  return answer(behaviour, reply);
}

function answer({ status, headers, body }: AnswerBehaviour, reply: FastifyReply): FastifyReply {
  reply.code(status).headers(headers as Record<string, string | string[]>);
  return status === 204 ? reply.send() : reply.send(body);
}
