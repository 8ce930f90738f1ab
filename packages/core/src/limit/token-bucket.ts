import { isIntegerWithin } from "../options/read";
import type { Milliseconds, TokenBucketLimit } from "./limit";
import {
  type CommonLimitOptions,
  durationText,
  LimitReader,
  type UnitOption,
} from "./limit-options";

/** Options of {@link tokenBucket}. */
export interface TokenBucketOptions extends CommonLimitOptions, UnitOption {
  /** The largest burst: an integer of 0 or more; `capacity` × `perMs` < 2^53. 0 admits nothing. */
  readonly capacity: number;
  /** Units that come back every `perMs`: 1 or more; `refill` × `perMs` < 2^53. */
  readonly refill: number;
  /** The time in which `refill` units come back: 1 ms to 100 years. */
  readonly perMs: Milliseconds;
}

/**
 * A bucket that starts full and refills steadily. A burst is at most `capacity` units, the long-run
 * rate is exactly `refill / perMs`, and any interval of length T admits at most `capacity` +
 * ⌈T × `refill` / `perMs`⌉.
 *
 * @throws InvalidOptionsError listing every bad option.
 * @remarks Units and remainder are integers, so ten refills of a tenth make exactly one unit. GCRA
 * is the same limit with another state.
 */
export function tokenBucket(options: TokenBucketOptions): TokenBucketLimit {
  const read = new LimitReader("tokenBucket", options, ["unit", "capacity", "refill", "perMs"]);
  const unit = read.unit();
  const perMs = read.durationMs("perMs");
  const capacity = read.options.integer("capacity", { min: 0 });
  const refill = read.options.integer("refill", { min: 1 });
  for (const [name, value] of [
    ["capacity", capacity],
    ["refill", refill],
  ] as const) {
    const largest = Math.floor(Number.MAX_SAFE_INTEGER / perMs);
    if (!isIntegerWithin(value * perMs, 0, Number.MAX_SAFE_INTEGER)) {
      read.options.problem(name, `at most ${largest}, so that ${name} × perMs stays below 2^53`);
    }
  }
  return read.done({
    kind: "token-bucket",
    name: read.name(`token-bucket-${unit}-${durationText(perMs)}`),
    unit,
    max: capacity,
    refill,
    perMs,
    mode: read.mode(),
  });
}
