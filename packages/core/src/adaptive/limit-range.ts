import type { OptionsReader } from "../options/read";

/** Where a published algorithm begins, and between which numbers it stays. */
export interface LimitRangeOptions {
  /** An integer of `min` to `max`. */
  readonly initial?: number;
  /** An integer of 1 or more. */
  readonly min?: number;
  /** An integer of `min` or more. */
  readonly max?: number;
}

export const limitRangeNames = ["initial", "min", "max"] as const;

/** Reads the three; what is not given is as published, but within what is given. */
export function readLimitRange(
  read: OptionsReader,
  published: Required<LimitRangeOptions>,
): Required<LimitRangeOptions> {
  const min = read.integer("min", { min: 1, fallback: published.min });
  const max = read.integer("max", { min, fallback: Math.max(published.max, min) });
  const initial = Math.min(max, Math.max(min, published.initial));
  return { min, max, initial: read.integer("initial", { min, max, fallback: initial }) };
}
