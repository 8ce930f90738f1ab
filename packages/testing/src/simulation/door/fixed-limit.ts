import type { AdaptiveLimit } from "@sluice/core";
import { badInput } from "../../input/bad-input";

/**
 * A limit that stays where it is, to compare an adaptive one with. Learns nothing; `useStatic`
 * moves it, and nobody is told.
 *
 * @throws InvalidOptionsError if `limit` is not an integer of 1 or more.
 */
export function fixedLimit(limit: number): AdaptiveLimit {
  return new FixedLimit(limit);
}

class FixedLimit implements AdaptiveLimit {
  #limit: number;

  constructor(limit: number) {
    this.#limit = required(limit);
  }

  get limit(): number {
    return this.#limit;
  }

  onSample(): void {}

  onFull(): void {}

  takeProbe(): boolean {
    return false;
  }

  onChange(): () => void {
    return () => {};
  }

  freeze(): void {}

  unfreeze(): void {}

  useStatic(limit: number): void {
    this.#limit = required(limit);
  }
}

function required(limit: number): number {
  if (Number.isSafeInteger(limit) && limit >= 1) return limit;
  throw badInput("fixedLimit", "limit", "an integer of 1 or more", limit);
}
