import type { Random } from "@sluice/core";
import { badInput } from "../input/bad-input";

/** The fractional part of the golden ratio × 2^32: visits every 32-bit state once, far apart. */
const STEP = 0x9e3779b9;

/**
 * Chance that repeats: the same seed gives the same numbers and ids in the same order. Ids are
 * `s<seed>-1`, `s<seed>-2`, ...: unique within one instance, equal between two instances of one
 * seed.
 * `seed` is any safe integer, also negative. Its `next` and `id` never throw.
 *
 * @throws InvalidOptionsError if `seed` is not a safe integer.
 * @remarks A Weyl sequence through a multiply-and-shift mixer, as in splitmix (Steele, Lea, Flood:
 * "Fast splittable pseudorandom number generators", 2014), in 32 bits because JavaScript multiplies
 * those exactly. Period 2^31 numbers; for tests, not for secrets.
 */
export function seededRandom(seed: number): Random {
  if (!Number.isSafeInteger(seed)) throw badInput("random", "seed", "a safe integer", seed);
  // Both halves of a large seed count, and neighbouring seeds begin far apart.
  let state = mix(mix(seed >>> 0) ^ Math.floor(seed / 2 ** 32));
  let ids = 0;
  const bits32 = () => {
    state = (state + STEP) >>> 0;
    return mix(state);
  };
  return {
    // 27 and 26 bits make the 53 bits of a double, so that 1 is never reached.
    next: () => ((bits32() >>> 5) * 2 ** 26 + (bits32() >>> 6)) / 2 ** 53,
    id: () => {
      ids += 1;
      return `s${seed}-${ids}`;
    },
  };
}

/** Spreads each bit of a 32-bit number over all 32 bits (MurmurHash3's finaliser, a bijection). */
function mix(bits: number): number {
  let mixed = bits;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
