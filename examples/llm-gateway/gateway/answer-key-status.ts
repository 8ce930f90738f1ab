import type { IncomingMessage, ServerResponse } from "node:http";
import type { Limiter } from "@sluice/core";
import { sendJson } from "../openai/send-json";
import { apiKeyOf } from "./api-key";
import type { KeyLimits } from "./key-limits";
import { questionAbout } from "./key-policy";

/** A handler that says where the limits of a key stand, without charging anything. */
export function keyStatusAnswerer(limiter: Limiter, keys: KeyLimits) {
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const question = questionAbout(apiKeyOf(req), keys);
    const statuses = question === null ? [] : (await limiter.peek(question)).statuses;
    const limits = statuses.map(({ name, unit, max, used, remaining, resetAfterMs }) => {
      return { name, unit, max, used, remaining, resetAfterMs };
    });
    sendJson(res, 200, { limits });
  };
}
