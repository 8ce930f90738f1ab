import type { Problems } from "../../options/problems";
import { OptionsReader } from "../../options/read";

/** How many questions may wait in a limiter; they wait only if they say so (`maxWaitMs`). */
export interface WaitingOptions {
  /**
   * Questions that may wait in all, an integer of 0 or more. Each holds a promise, a timer and its
   * question.
   *
   * @defaultValue 10_000
   */
  readonly max?: number;
  /**
   * Questions that may wait for one limit of one descriptor, an integer of 0 or more. It keeps one
   * caller from taking the whole queue.
   *
   * @defaultValue 1000
   */
  readonly maxPerLimit?: number;
}

/** {@link WaitingOptions}, checked and complete. */
export type WaitingConfig = Required<WaitingOptions>;

/** Reads the option `queue` of a limiter; problems go where the reader puts them. */
export function readWaiting(options: OptionsReader, problems: Problems): WaitingConfig {
  const given = options.raw("queue");
  const known = ["max", "maxPerLimit"];
  const queue = new OptionsReader(given === undefined ? {} : given, known, problems, "queue");
  return Object.freeze({
    max: queue.integer("max", { min: 0, fallback: 10_000 }),
    maxPerLimit: queue.integer("maxPerLimit", { min: 0, fallback: 1000 }),
  });
}
