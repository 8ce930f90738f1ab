import { createServer, type Server } from "node:http";
import { expressGate, expressLimits } from "@sluice/express";
import express from "express";
import { rateLimit } from "express-rate-limit";
import { LIST, PATH } from "../answer";
import { ingredientsOf, isRejecting, type Stack } from "../server-name";
import { HOUR_MS, maxOf } from "./numbers";
import { gateOptions, keyOf, limitsOptions } from "./ours";

/** Its generation of header fields that are two, as ours are. */
const TWO_FIELDS = "draft-7";

export function expressServer(stack: Stack): Server {
  const app = express();
  const ours = ingredientsOf(stack);
  if (ours?.hasGate) app.use(expressGate(gateOptions()));
  if (ours !== undefined) app.use(expressLimits(limitsOptions(ours, "ietf")));
  if (stack.startsWith("peer")) app.use(peer(stack));
  app.get(PATH, (_req, res) => {
    res.json(LIST);
  });
  return createServer(app);
}

function peer(stack: Stack) {
  return rateLimit({
    windowMs: HOUR_MS,
    limit: maxOf(isRejecting(stack)),
    keyGenerator: keyOf,
    legacyHeaders: false,
    standardHeaders: stack === "peer, no headers" ? false : TWO_FIELDS,
  });
}
