import { badInput } from "./bad-input";

const SEED_MAX = 1_000_000_000;

/** @throws InvalidOptionsError if `seed` is not an integer from 0 to 1 000 000 000. */
export function requireSeed(seed: number): void {
  if (Number.isSafeInteger(seed) && seed >= 0 && seed <= SEED_MAX) return;
  throw badInput("run", "seed", `an integer from 0 to ${SEED_MAX}`, seed);
}
