import { RateLimiterRedis } from "rate-limiter-flexible";
import { PLENTY, perLimit, windowMsOf } from "../../memory/contender/subject";
import { type RedisSetting, type RedisSubject, WINDOW_MS } from "./subject";

/**
 * RateLimiterRedis of rate-limiter-flexible: a limiter per limit, and their `consume` calls all at
 * once, so that they share a round trip.
 */
export class RateLimiterFlexible implements RedisSubject {
  readonly #limiters: readonly RateLimiterRedis[];

  constructor({ client, limits }: RedisSetting) {
    const useRedisPackage = client.library === "redis";
    this.#limiters = perLimit({ limits, windowMs: WINDOW_MS }, (place) => {
      const duration = windowMsOf({ limits, windowMs: WINDOW_MS }, place) / 1000;
      const keyPrefix = `rlflx${place}`;
      return new RateLimiterRedis({
        storeClient: client.client,
        useRedisPackage,
        keyPrefix,
        points: PLENTY,
        duration,
      });
    });
  }

  async ask(key: string): Promise<void> {
    const limiters = this.#limiters;
    if (limiters.length === 1) await (limiters[0] as RateLimiterRedis).consume(key);
    else await Promise.all(limiters.map((limiter) => limiter.consume(key)));
  }
}
