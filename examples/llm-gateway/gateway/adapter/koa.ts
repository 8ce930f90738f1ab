import { createServer, type Server } from "node:http";
import { backlogOf, koaGate, koaLimits, permitOf } from "@sluice/koa";
import Koa, { type Context } from "koa";
import { readText } from "../../openai/read-text";
import { type Answer, errorAnswer, jsonAnswer } from "../answer";
import { apiKeyOf } from "../api-key";
import type { Gateway } from "../gateway";
import { chatReader } from "../read-chat";

/** The gateway as a Koa app. */
export function koaServer(gateway: Gateway): Server {
  const readChat = chatReader<Context>((ctx) => readText(ctx.req));
  const limits = koaLimits(gateway.limitsOptions(readChat));

  const app = new Koa();
  // It lets everything through to the paths under /health.
  app.use(koaGate(gateway.gateOptions));
  app.use(async (ctx) => {
    const path = `${ctx.method} ${ctx.path}`;
    if (path === "GET /health/liveliness") return send(ctx, jsonAnswer(200, "I'm alive!"));
    if (path === "GET /health/backlog") return send(ctx, jsonAnswer(200, backlogOf(gateway.gate)));
    if (path === "GET /health/decided-by") {
      return send(ctx, jsonAnswer(200, gateway.decidedBy.counts));
    }
    const key = apiKeyOf(ctx);
    if (!gateway.knowsKey(key)) return send(ctx, errorAnswer(401, "No such key."));
    if (path === "GET /v1/limits") return send(ctx, await gateway.answerKeyStatus(key));
    if (path !== "POST /v1/chat/completions") return;
    await limits(ctx, async () => {
      const call = { chat: await readChat(ctx), permit: permitOf(ctx), res: ctx.res };
      send(ctx, await gateway.answerChat(call));
    });
  });
  return createServer(app.callback());
}

function send(ctx: Context, { status, type, body }: Answer): void {
  ctx.status = status;
  ctx.type = type;
  ctx.body = body;
}
