import { backlogHandler, createGate, createLimiter, koaGate, koaLimits } from "@sluice/koa";
import Koa, { type Middleware } from "koa";
import { policy } from "./policy";

/** The routes by what a request begins with. A router of your choice does this better. */
const routes: Readonly<Record<string, string>> = {
  "GET /": "page",
  "GET /search": "search",
  "POST /messages": "message",
};

/** Matches the route, so that limits know it. */
const match: Middleware = (ctx, next) => {
  ctx.state.route = routes[`${ctx.method} ${ctx.path}`];
  return next();
};

/** A Koa app: the gate before everything, limits behind the match. */
export function createApp(): Koa {
  const gate = createGate({ maxInFlight: 100 });
  const answerBacklog = backlogHandler(gate);

  const app = new Koa();
  app.use(koaGate({ gate }));
  app.use(match);
  app.use(koaLimits({ limiter: createLimiter(), policy }));
  app.use((ctx, next) => {
    if (ctx.path === "/health/backlog") return answerBacklog(ctx, next);
    // Rate-limit fields stay when Koa renders an error.
    if (ctx.state.route === undefined) ctx.throw(404, "no such route");
    ctx.body = { route: ctx.state.route, remaining: remainingIn(ctx.state.verdict) };
  });
  return app;
}

/** What is left of each limit, by its name. */
function remainingIn(verdict: { statuses: readonly { name: string; remaining: number }[] }) {
  return Object.fromEntries(verdict.statuses.map(({ name, remaining }) => [name, remaining]));
}
