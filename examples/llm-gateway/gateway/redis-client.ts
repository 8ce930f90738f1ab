import type { RedisClient } from "@sluice/core/redis";
import type { RedisLibrary } from "./gateway-settings";

const reconnectAfterMs = (times: number) => Math.min(times * 50, 1_000);

/** A client of either library, with options that `checkClient` finds nothing wrong with. */
export async function connectRedis(library: RedisLibrary, url: string): Promise<RedisClient> {
  if (library === "ioredis") {
    const { Redis } = await import("ioredis");
    return new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: 4_000,
      socketTimeout: 4_000,
      keepAlive: 5_000,
      retryStrategy: reconnectAfterMs,
    });
  }
  const { createClient } = await import("redis");
  return createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: 10_000,
    // Written out, because it is a number otherwise; the type does not know that this is allowed.
    commandOptions: { timeout: undefined } as object,
    socket: { reconnectStrategy: reconnectAfterMs },
  });
}
