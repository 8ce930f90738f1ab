import type { Limit } from "../limit/limit";

/** Lists of limits that are remembered: a policy has a few, each a constant. */
const REMEMBERED = 8;

/** A list that was checked, as it was then. */
export interface CheckedLimits {
  readonly list: readonly Limit[];
  readonly limits: readonly Limit[];
  readonly hasSlots: boolean;
}

/**
 * Remembers the lists of limits that were checked last. A policy passes the same few lists with
 * every request, and checking one again costs a good part of the whole verdict. A list that was
 * changed meanwhile is not recognized.
 */
export class KnownLimits {
  readonly #known: (CheckedLimits | undefined)[] = new Array(REMEMBERED).fill(undefined);
  #next = 0;

  /** What is known of a list, or `undefined` if it has to be checked. */
  find(list: readonly Limit[]): CheckedLimits | undefined {
    for (let index = 0; index < REMEMBERED; index += 1) {
      const known = this.#known[index];
      if (known === undefined) return undefined;
      if (known.list === list) return isUnchanged(known, list) ? known : undefined;
    }
    return undefined;
  }

  /** Remembers a list that was found good. */
  remember(list: readonly Limit[]): CheckedLimits {
    const hasSlots = list.some(({ kind }) => kind === "concurrency");
    const checked = { list, limits: [...list], hasSlots };
    const stale = this.#known.findIndex((known) => known?.list === list);
    this.#known[stale < 0 ? this.#next : stale] = checked;
    if (stale < 0) this.#next = (this.#next + 1) % REMEMBERED;
    return checked;
  }
}

function isUnchanged({ limits }: CheckedLimits, list: readonly Limit[]): boolean {
  if (limits.length !== list.length) return false;
  for (let index = 0; index < limits.length; index += 1) {
    if (limits[index] !== list[index]) return false;
  }
  return true;
}
