import {
  allOf,
  choose,
  clientAddress,
  fixedWindow,
  limitBy,
  tokenBucket,
  unlimited,
} from "@sluice/koa";
import type { Context } from "koa";

const client = clientAddress();

/** Everybody who calls. */
const byClient = limitBy<Context>({
  kind: "client",
  id: client,
  limits: [fixedWindow({ max: 20, windowMs: 60_000, name: "client" })],
});

/** All searches of all callers together: what the index can do. */
const searchesTogether = limitBy<Context>({
  kind: "route",
  id: "search",
  limits: [tokenBucket({ capacity: 10, refill: 1, perMs: 1_000, name: "index" })],
  cost: (ctx) => ({ requests: ctx.query.depth === "deep" ? 5 : 1 }),
});

/** Few messages of one caller. */
const messages = limitBy<Context>({
  kind: "sender",
  id: client,
  limits: [fixedWindow({ max: 2, windowMs: 60_000, name: "messages" })],
});

/**
 * By the route that was matched. A search is asked for its caller and for all callers in one
 * question: a deep one costs five of both, and if one of the two refuses, neither is charged.
 */
export const policy = choose<Context>({
  by: (ctx) => ctx.state.route as string | undefined,
  policies: {
    search: allOf(byClient, searchesTogether),
    message: allOf(byClient, messages),
    page: byClient,
  },
  otherwise: unlimited,
});
