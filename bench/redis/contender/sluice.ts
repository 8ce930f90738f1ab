import { createLimiter, type FixedWindowLimit, type Limiter } from "@sluice/core";
import { redisStore } from "@sluice/core/redis";
import { sluiceLimits } from "../../memory/contender/sluice-limits";
import { type RedisSetting, type RedisSubject, WINDOW_MS } from "./subject";

/** A busy machine is no outage here. */
const TIMEOUT_MS = 10_000;

/** Our limiter over our Redis store, asked as a policy asks: all limits on one descriptor. */
export class Sluice implements RedisSubject {
  readonly #limiter: Limiter;
  readonly #limits: readonly FixedWindowLimit[];

  constructor({ client, limits }: RedisSetting) {
    const connect = () => client.client;
    this.#limiter = createLimiter({ store: redisStore({ connect, timeoutMs: TIMEOUT_MS }) });
    this.#limits = sluiceLimits({ limits, windowMs: WINDOW_MS });
  }

  async ask(id: string): Promise<void> {
    const descriptor = { kind: "key", id, limits: this.#limits };
    const verdict = await this.#limiter.admit({ descriptors: [descriptor] });
    const isFromRedis = verdict.statuses[0]?.source === "store";
    if (!verdict.admitted || !isFromRedis) throw new Error(`not admitted: ${verdict.statuses}`);
  }
}
