import type { CheckLimit, DescriptorLimit, Limit, PriorityPoolLimit } from "../limit/limit";
import { classOf, poolUnitsOf } from "../limit/pool-units";

/** Lists of limits that are remembered: a policy has a few, each a constant. */
const REMEMBERED = 8;

/** A list that was checked, as it was then. */
export interface CheckedLimits {
  readonly list: readonly DescriptorLimit[];
  /** A copy of the list. */
  readonly given: readonly DescriptorLimit[];
  /** The limits as commands name them; only the rest, if there are pools. */
  readonly limits: readonly CheckLimit[];
  readonly hasSlots: boolean;
  readonly hasPools: boolean;
}

/** The limits as commands name them for a priority: each pool as its units, in its place. */
export function limitsFor(
  checked: CheckedLimits,
  priority: string | undefined,
): readonly CheckLimit[] {
  if (!checked.hasPools) return checked.limits;
  return checked.given.flatMap((limit): CheckLimit | readonly CheckLimit[] =>
    isPool(limit) ? poolUnitsOf(limit, classOf(limit, priority)) : limit,
  );
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
  find(list: readonly DescriptorLimit[]): CheckedLimits | undefined {
    for (let index = 0; index < REMEMBERED; index += 1) {
      const known = this.#known[index];
      if (known === undefined) return undefined;
      if (known.list === list) return isUnchanged(known, list) ? known : undefined;
    }
    return undefined;
  }

  /** Remembers a list that was found good. */
  remember(list: readonly DescriptorLimit[]): CheckedLimits {
    const hasSlots = list.some(({ kind }) => kind === "concurrency");
    const limits = list.filter((limit) => !isPool(limit)) as readonly Limit[];
    const hasPools = limits.length !== list.length;
    const checked = { list, given: [...list], limits, hasSlots, hasPools };
    const stale = this.#known.findIndex((known) => known?.list === list);
    this.#known[stale < 0 ? this.#next : stale] = checked;
    if (stale < 0) this.#next = (this.#next + 1) % REMEMBERED;
    return checked;
  }
}

function isPool(limit: DescriptorLimit): limit is PriorityPoolLimit {
  return limit.kind === "priority-pool";
}

function isUnchanged({ given }: CheckedLimits, list: readonly DescriptorLimit[]): boolean {
  if (given.length !== list.length) return false;
  for (let index = 0; index < given.length; index += 1) {
    if (given[index] !== list[index]) return false;
  }
  return true;
}
