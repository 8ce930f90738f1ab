import { setTimeout as sleep } from "node:timers/promises";
import { createLimiter, fixedWindow, type Limiter, type Recorder } from "@sluice/core";
import { redisStore } from "@sluice/core/redis";
import type { RedisLibrary } from "./gateway-settings";
import { connectRedis } from "./redis-client";

/** Where limits are shared, and by how many processes. */
export interface Sharing {
  readonly library: RedisLibrary;
  /** `redis://host:port`. */
  readonly url: string | undefined;
  readonly prefix: string;
  readonly instances: number;
  readonly recorder: Recorder;
}

/**
 * Everything of this example runs on one machine, where Redis waits for its turn too: more than a
 * gateway with a server beside it would wait.
 */
const TIMEOUT_MS = 2_000;
const ANSWERS_WITHIN_MS = 10_000;
const ASK_EVERY_MS = 50;

/**
 * A limiter on Redis, once the server has answered it. A gateway could start without: its limiter
 * would decide by itself until the server is there.
 *
 * @throws Error if there is no address, or no answer within 10 seconds.
 */
export async function redisLimiter(sharing: Sharing): Promise<Limiter> {
  const { library, url, prefix, instances, recorder } = sharing;
  if (url === undefined || url === "") throw new Error("REDIS_URL: expected an address");
  const store = redisStore({
    connect: () => connectRedis(library, url),
    prefix,
    instances,
    timeoutMs: TIMEOUT_MS,
  });
  const limiter = createLimiter({ store, recorder });
  for (let waitedMs = 0; waitedMs < ANSWERS_WITHIN_MS; waitedMs += ASK_EVERY_MS) {
    if (await isAnswered(limiter)) return limiter;
    await sleep(ASK_EVERY_MS);
  }
  throw new Error(`REDIS_URL: no answer within ${ANSWERS_WITHIN_MS / 1000} s`);
}

/** Whether the store said where a limit stands, or the limiter had to by itself. */
async function isAnswered(limiter: Limiter): Promise<boolean> {
  const limits = [fixedWindow({ max: 1, windowMs: 1000 })];
  const descriptors = [{ kind: "start", id: "gateway", limits }];
  const { statuses } = await limiter.peek({ descriptors });
  return statuses.every(({ source }) => source === "store");
}
