import type { OpenClient } from "../client/open-client";

/** How a limiter under measurement is made. */
export interface RedisSetting {
  readonly client: OpenClient;
  /** How many limits hold for each key. */
  readonly limits: number;
}

/** A limiter under measurement, or less than one. */
export interface RedisSubject {
  /** One verdict about a key, with all of its limits. @throws Error if it is not admitted. */
  ask(key: string): Promise<void>;
}

/** Counters must not roll over while they are measured. */
export const WINDOW_MS = 3_600_000;
