import { createServer, type Server } from "node:http";
import { koaGate, koaLimits } from "@sluice/koa";
import Koa from "koa";
import ratelimit from "koa-ratelimit";
import { LIST, PATH } from "../answer";
import { ingredientsOf, isRejecting, type Stack } from "../server-name";
import { HOUR_MS, maxOf } from "./numbers";
import { gateOptions, keyOf, limitsOptions } from "./ours";

export function koaServer(stack: Stack): Server {
  const app = new Koa();
  const ours = ingredientsOf(stack);
  if (ours?.hasGate) app.use(koaGate(gateOptions()));
  // Three fields, as the peer sends.
  if (ours !== undefined) app.use(koaLimits(limitsOptions(ours, "legacy")));
  if (stack.startsWith("peer")) app.use(peer(stack));
  app.use((ctx) => {
    if (ctx.path === PATH) ctx.body = LIST;
  });
  return createServer(app.callback());
}

function peer(stack: Stack) {
  return ratelimit({
    driver: "memory",
    db: new Map(),
    duration: HOUR_MS,
    max: maxOf(isRejecting(stack)),
    id: keyOf,
    disableHeader: stack === "peer, no headers",
  });
}
