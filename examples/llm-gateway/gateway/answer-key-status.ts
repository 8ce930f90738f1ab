import type { IncomingMessage, ServerResponse } from "node:http";
import type { Limiter } from "@sluice/core";
import { sendJson } from "../openai/send-json";
import { apiKeyOf } from "./api-key";
import { ownDescriptor } from "./key-policy";
import type { Keys } from "./keys";

/** A handler that says where the limits of a key stand, without charging anything. */
export function keyStatusAnswerer(limiter: Limiter, keys: Keys) {
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const own = ownDescriptor(apiKeyOf(req), keys);
    const statuses = own === undefined ? [] : (await limiter.peek({ descriptors: [own] })).statuses;
    const limits = statuses.map(({ name, unit, max, used, remaining, resetAfterMs }) => {
      return { name, unit, max, used, remaining, resetAfterMs };
    });
    sendJson(res, 200, { limits });
  };
}
