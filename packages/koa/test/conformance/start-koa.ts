import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import {
  type AdapterMount,
  type AdapterScenario,
  type AnswerBehaviour,
  bodyLength,
  type RunningAdapter,
  runningAdapter,
} from "@sluice/testing";
import type Koa from "koa";
import type { Context, Middleware } from "koa";
import { koaGate, koaLimits } from "../../src/index";

/** A Koa application for a scenario of the conformance suite. */
export function startKoa(
  Application: typeof Koa,
  scenario: AdapterScenario,
): Promise<RunningAdapter> {
  const app = new Application();
  app.on("error", scenario.heard);
  for (const mount of scenario.mounts) {
    const middleware = below(mount.at, middlewareOf(mount));
    for (let i = 0; i < mount.times; i += 1) app.use(middleware);
  }
  app.use((ctx, next) => (/^(\/api)?\/do\//.test(ctx.path) ? route(scenario, ctx) : next()));
  const isHttp1 = scenario.protocol === "http1";
  const listener = app.callback();
  return runningAdapter(isHttp1 ? createServer(listener) : createHttp2Server(listener));
}

function middlewareOf(mount: AdapterMount): Middleware {
  return mount.kind === "gate"
    ? koaGate({ gate: mount.gate, ...mount.options })
    : koaLimits({ limiter: mount.limiter, ...mount.options });
}

function below(path: string, middleware: Middleware): Middleware {
  if (path === "/") return middleware;
  return (ctx, next) => (ctx.path.startsWith(`${path}/`) ? middleware(ctx, next) : next());
}

function route(scenario: AdapterScenario, ctx: Context): unknown {
  const { method, originalUrl: url } = ctx;
  const behaviour = scenario.behave({ method, url, verdict: ctx.state.verdict });
  switch (behaviour.does) {
    case "answer":
      if (behaviour.after || behaviour.reads) return answerLater(behaviour, ctx);
      return answer(behaviour, ctx);
    case "stream":
      ctx.body = behaviour.source;
      return undefined;
    case "take":
      ctx.respond = false;
      // Koa has set a status of its own, 404.
      ctx.res.statusCode = 200;
      return behaviour.write(ctx.res);
    case "throw":
      if (behaviour.hasBegun) ctx.res.write("begun");
      throw behaviour.error;
    case "reject":
      return behaviour.after.then(() => Promise.reject(behaviour.error));
    case "redirect":
      return ctx.redirect(behaviour.to);
  }
}

async function answerLater(behaviour: AnswerBehaviour, ctx: Context): Promise<void> {
  if (behaviour.reads) behaviour.onRead?.(await bodyLength(ctx.req));
  await behaviour.after;
  answer(behaviour, ctx);
}

function answer({ status, headers, body }: AnswerBehaviour, ctx: Context): void {
  for (const [name, value] of Object.entries(headers)) ctx.set(name, value as string | string[]);
  ctx.status = status;
  if (status !== 204) ctx.body = body;
}
