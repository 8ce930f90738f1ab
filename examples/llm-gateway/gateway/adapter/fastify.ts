import type { Server } from "node:http";
import { backlogOf, fastifyGate, fastifyLimits, permitOf } from "@sluice/fastify";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { type Answer, errorAnswer, jsonAnswer } from "../answer";
import { apiKeyOf } from "../api-key";
import type { Gateway } from "../gateway";
import { chatReader } from "../read-chat";

const BODY_BYTES_MAX = 10_000_000;

/** The gateway as a Fastify app. */
export async function fastifyServer(gateway: Gateway): Promise<Server> {
  const app = fastify({ bodyLimit: BODY_BYTES_MAX });
  // The body is passed on: it is not the framework that says what is wrong with it.
  const asText = { parseAs: "string" } as const;
  app.addContentTypeParser("application/json", asText, async (_: unknown, text: string) => text);
  // It lets everything through to the paths under /health.
  await app.register(fastifyGate, gateway.gateOptions);
  app.get("/health/liveliness", (_request, reply) => send(reply, jsonAnswer(200, "I'm alive!")));
  app.get("/health/backlog", (_request, reply) => {
    return send(reply, jsonAnswer(200, backlogOf(gateway.gate)));
  });
  app.get("/health/decided-by", (_request, reply) => {
    return send(reply, jsonAnswer(200, gateway.decidedBy.counts));
  });
  await app.register(async (v1) => {
    v1.addHook("onRequest", async (request, reply) => {
      if (gateway.knowsKey(apiKeyOf(request))) return;
      await send(reply, errorAnswer(401, "No such key."));
    });
    v1.get("/v1/limits", async (request, reply) => {
      return send(reply, await gateway.answerKeyStatus(apiKeyOf(request)));
    });
    await v1.register(async (limited) => {
      const readChat = chatReader<FastifyRequest>(async ({ body }) => String(body));
      // The estimate is made from the body, so the limits are asked when that has been read.
      const options = { ...gateway.limitsOptions(readChat), hook: "preHandler" as const };
      await limited.register(fastifyLimits, options);
      limited.post("/v1/chat/completions", async (request, reply) => {
        const permit = permitOf(request);
        const call = { chat: await readChat(request), permit, res: reply.raw };
        return send(reply, await gateway.answerChat(call));
      });
    });
  });
  await app.ready();
  return app.server;
}

function send(reply: FastifyReply, { status, type, body }: Answer): FastifyReply {
  return reply.code(status).type(type).send(body);
}
