import { isIoredis, isNodeRedis, type RedisClient } from "./client";
import type { ClientEvents, ClientExecutor } from "./client-executor";
import { IoredisExecutor } from "./ioredis-executor";
import { NodeRedisExecutor } from "./node-redis-executor";

/**
 * The executor on a client of either library.
 *
 * @throws TypeError if it is not a client of ioredis or node-redis.
 */
export function executorOn(client: RedisClient, events: ClientEvents): ClientExecutor {
  if (isIoredis(client)) return new IoredisExecutor(client, events);
  if (isNodeRedis(client)) return new NodeRedisExecutor(client, events);
  throw new TypeError(
    "Expected connect to return a client of ioredis or of redis (node-redis), version 5 or 6, " +
      `received ${client === null ? "null" : `a value of type ${typeof client}`}`,
  );
}
