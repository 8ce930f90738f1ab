import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createNodeGate, createNodeLimits } from "@sluice/node";
import { BODY } from "../answer";
import { ingredientsOf, type Stack } from "../server-name";
import { gateOptions, keyOf, limitsOptions } from "./ours";

function answer(_req: IncomingMessage, res: ServerResponse): void {
  res.setHeader("content-type", "application/json");
  res.end(BODY);
}

/** What node:http takes for its headers as soon as anybody looks at them. */
function readKeyAndAnswer(req: IncomingMessage, res: ServerResponse): void {
  if (keyOf(req) !== "") answer(req, res);
}

export function nodeServer(stack: Stack): Server {
  const ours = ingredientsOf(stack);
  if (ours === undefined) return createServer(stack === "bare" ? answer : readKeyAndAnswer);
  const limited: RequestListener =
    ours.limits === 0
      ? answer
      : createNodeLimits<IncomingMessage>(limitsOptions(ours, "ietf")).wrap(answer);
  return createServer(ours.hasGate ? createNodeGate(gateOptions()).wrap(limited) : limited);
}
