import { isIntegerWithin } from "../options/read";
import { amountsOf, SHARE_TOLERANCE } from "./guaranteed-amounts";
import type { Milliseconds, PriorityPoolLimit, WhenSaturated } from "./limit";
import {
  type CommonLimitOptions,
  durationText,
  LIMIT_NAME,
  LimitReader,
  UNIT_NAME,
} from "./limit-options";

/**
 * What a class is guaranteed: a ratio of every unit of the pool, 0 to 1; or an amount of one unit,
 * `{ requests: 900 }`, which counts as that amount divided by the unit's capacity.
 */
export type PoolShare = number | Readonly<Record<string, number>>;

/** Options of {@link priorityPool}. */
export interface PriorityPoolOptions extends CommonLimitOptions {
  /** Length of a window, which the first charge opens: 1 ms to 100 years. */
  readonly windowMs: Milliseconds;
  /**
   * The ceiling of each unit per window: 1 to 8 units that the limiter declares, each an integer of
   * 0 or more; times `windowMs`, and times 10 000, below 2^53. `{ requests: 100, tokens: 100_000 }`
   */
  readonly capacity: Readonly<Record<string, number>>;
  /**
   * The classes by name, at most 64, and what each is guaranteed. Shares that sum to more than 1
   * are scaled by their sum. Names are 1 to 64 characters of `[A-Za-z0-9_.-]`; `default` is taken.
   */
  readonly shares: Readonly<Record<string, PoolShare>>;
  /**
   * The share of the class `default`, in which all callers without a named share are together. It
   * counts in the sum.
   *
   * @defaultValue what the named shares leave, which may be 0
   */
  readonly defaultShare?: PoolShare;
  /**
   * While no more than this part of a unit's capacity is in use, only the capacity binds: 0 to 1 in
   * steps of 0.0001.
   *
   * @defaultValue 0.5
   */
  readonly saturationThreshold?: number;
  /**
   * What binds a class beyond the threshold: `strict`, its guaranteed amount and nothing else;
   * `lend`, also what the others leave.
   *
   * @defaultValue "lend"
   */
  readonly whenSaturated?: WhenSaturated;
}

/** The class of all callers without a named share. */
export const DEFAULT_CLASS = "default";

/** Each unit is a check of its own in every question. */
const UNITS_MAX = 8;

/** A check looks at every class. */
const CLASSES_MAX = 64;

/** Thresholds are kept in parts of this. */
export const THRESHOLD_PARTS = 10_000;

/**
 * A capacity per window that classes of callers divide among themselves. **Never more than the
 * capacity of any unit per window** (up to twice that across the boundary of two windows), and each
 * class is guaranteed its part of it:
 *
 * - `strict`: beyond the threshold a class has its guaranteed amount and no more. What a class does
 *   not use stays unused.
 * - `lend`: a class that arrives when a part `f` of the window has passed still finds ⌊guaranteed ×
 *   (1 - max(`f`, threshold))⌋, and whatever nobody is going to claim is lent.
 *
 * The class of a question is its `priority`.
 *
 * @throws InvalidOptionsError listing every bad option, also if more classes have a share than a
 *   unit has capacity.
 * @remarks The classes and `strict` are those of LiteLLM's dynamic rate limiter, whose settings are
 * a default share of 0.25 and a threshold of 0.5; see docs/guides/priority-pools.md.
 */
export function priorityPool(options: PriorityPoolOptions): PriorityPoolLimit {
  const read = new LimitReader("priorityPool", options, [
    "windowMs",
    "capacity",
    "shares",
    "defaultShare",
    "saturationThreshold",
    "whenSaturated",
  ]);
  const windowMs = read.durationMs("windowMs");
  const capacity = readCapacity(read, windowMs);
  const shares = readShares(read, capacity);
  const classes = [...shares.named.keys(), DEFAULT_CLASS];
  const guaranteed: Record<string, readonly number[]> = {};
  for (const [unit, max] of capacity) {
    if (shares.declared > max) {
      const expected = `at least as many ${unit} as classes with a share (${shares.declared})`;
      read.problemAt(`capacity.${unit}`, expected, max);
    }
    guaranteed[unit] = Object.freeze(amountsOf(shares.ratios, max));
  }
  const units = [...capacity.keys()];
  return read.done({
    kind: "priority-pool",
    name: read.name(defaultName(units, windowMs)),
    mode: read.mode(),
    windowMs,
    capacity: Object.freeze(Object.fromEntries(capacity)),
    classes: Object.freeze(classes),
    guaranteed: Object.freeze(guaranteed),
    saturationThreshold: readThreshold(read),
    whenSaturated: read.options.oneOf("whenSaturated", ["strict", "lend"], "lend"),
  });
}

/** Names are bounded, and eight long units would make too long a one. */
function defaultName(units: readonly string[], windowMs: Milliseconds): string {
  const name = `priority-pool-${units.join("-")}-${durationText(windowMs)}`;
  return LIMIT_NAME.test(name) ? name : `priority-pool-${durationText(windowMs)}`;
}

function readCapacity(read: LimitReader, windowMs: Milliseconds): ReadonlyMap<string, number> {
  const capacity = new Map<string, number>();
  const given = read.options.raw("capacity");
  const entries = isRecord(given) ? Object.entries(given) : [];
  // A unit that is switched off by `undefined` is not there.
  const units = entries.filter(([, max]) => max !== undefined);
  if (units.length === 0 || units.length > UNITS_MAX) {
    const expected = `an object of 1 to ${UNITS_MAX} units and what there is of each`;
    read.options.problem("capacity", expected);
    return capacity;
  }
  const largest = Math.floor(Number.MAX_SAFE_INTEGER / Math.max(windowMs, THRESHOLD_PARTS));
  for (const [unit, max] of units) {
    const path = `capacity.${unit}`;
    if (!UNIT_NAME.test(unit) || unit === "slots") {
      read.problemAt(path, "a unit name (a-z, 0-9, _ and -, a letter first), not slots", max);
    } else if (isIntegerWithin(max, 0, largest)) {
      capacity.set(unit, max + 0);
    } else {
      const reason = "times windowMs and times 10 000 below 2^53";
      const expected = `an integer from 0 to ${largest} (${reason})`;
      read.problemAt(path, expected, max);
    }
  }
  return capacity;
}

interface Shares {
  readonly named: ReadonlyMap<string, number>;
  /** Of the named classes and, last, of the default class; together at most 1. */
  readonly ratios: readonly number[];
  /** How many classes were given a share above 0. */
  readonly declared: number;
}

function readShares(read: LimitReader, capacity: ReadonlyMap<string, number>): Shares {
  const named = new Map<string, number>();
  const given = read.options.raw("shares");
  if (!isRecord(given)) read.options.problem("shares", "an object of class names and shares");
  const entries = isRecord(given) ? Object.entries(given) : [];
  if (entries.length > CLASSES_MAX) {
    read.options.problem("shares", `at most ${CLASSES_MAX} classes`);
    return { named, ratios: [0], declared: 0 };
  }
  for (const [name, share] of entries) {
    const path = `shares.${name}`;
    if (name === DEFAULT_CLASS) {
      read.problemAt(path, "another name (its share is defaultShare)", share);
    } else if (!LIMIT_NAME.test(name)) {
      read.problemAt(
        path,
        "a class name of 1 to 64 characters of A-Z, a-z, 0-9, _, . and -",
        share,
      );
    } else {
      named.set(name, readShare(read, path, share, capacity));
    }
  }
  const ofDefault = read.options.raw("defaultShare");
  const isGiven = ofDefault !== undefined;
  const defaultShare = isGiven ? readShare(read, "defaultShare", ofDefault, capacity) : 0;
  const shares = [...named.values(), defaultShare];
  const sum = shares.reduce((total, share) => total + share, 0);
  const ratios = sum > 1 + SHARE_TOLERANCE ? shares.map((share) => share / sum) : [...shares];
  if (!isGiven) ratios[ratios.length - 1] = Math.max(0, 1 - sum);
  return { named, ratios, declared: shares.filter((share) => share > 0).length };
}

/** A share as a ratio; 0 if it is none. */
function readShare(
  read: LimitReader,
  path: string,
  share: unknown,
  capacity: ReadonlyMap<string, number>,
): number {
  if (typeof share === "number" && share >= 0 && share <= 1) return share + 0;
  const entries = isRecord(share) ? Object.entries(share) : [];
  const [unit, amount] = entries[0] ?? ["", undefined];
  const max = capacity.get(unit);
  if (entries.length === 1 && max !== undefined) {
    if (isIntegerWithin(amount, 0, max)) return max === 0 ? 0 : amount / max;
    read.problemAt(`${path}.${unit}`, `an integer from 0 to the capacity (${max})`, amount);
    return 0;
  }
  const units = capacity.size === 0 ? "" : ` (${[...capacity.keys()].join(", ")})`;
  read.problemAt(path, `a ratio from 0 to 1, or an amount of one unit of the pool${units}`, share);
  return 0;
}

function readThreshold(read: LimitReader): number {
  const threshold = read.options.number("saturationThreshold", { min: 0, max: 1, fallback: 0.5 });
  const parts = Math.round(threshold * THRESHOLD_PARTS);
  if (Math.abs(parts / THRESHOLD_PARTS - threshold) > SHARE_TOLERANCE) {
    read.options.problem("saturationThreshold", "a multiple of 0.0001");
  }
  return parts / THRESHOLD_PARTS;
}

/** No list, and no `Map`, whose entries are no properties: it would be a pool without classes. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === "[object Object]";
}
