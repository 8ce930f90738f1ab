import type { PoolUnitLimit, PriorityPoolLimit } from "./limit";
import { THRESHOLD_PARTS } from "./priority-pool";

/** The units of each pool as each of its classes asks for them; pools are few and live long. */
const known = new WeakMap<PriorityPoolLimit, Map<number, readonly PoolUnitLimit[]>>();

/** The same unit, asked by another class; by that unit and the class. */
const others = new WeakMap<PoolUnitLimit, Map<number, PoolUnitLimit>>();

/**
 * The class of a caller: the named one, or `default` if no share has this name or none is given.
 */
export function classOf({ classes }: PriorityPoolLimit, priority: string | undefined): number {
  const last = classes.length - 1;
  const place = priority === undefined ? -1 : classes.indexOf(priority);
  return place < 0 ? last : place;
}

/**
 * The units of a pool as a class asks for them: always the same objects, in the order of its
 * capacity. Pure; never throws.
 */
export function poolUnitsOf(pool: PriorityPoolLimit, ownClass: number): readonly PoolUnitLimit[] {
  const byClass = known.get(pool) ?? new Map<number, readonly PoolUnitLimit[]>();
  if (byClass.size === 0) known.set(pool, byClass);
  let units = byClass.get(ownClass);
  if (units === undefined) {
    units = makeUnits(pool, ownClass);
    byClass.set(ownClass, units);
  }
  return units;
}

/** A unit as another class, or none (-1), asks for it: always the same object. */
export function asClass(unit: PoolUnitLimit, ownClass: number): PoolUnitLimit {
  if (unit.ownClass === ownClass) return unit;
  const byClass = others.get(unit) ?? new Map<number, PoolUnitLimit>();
  if (byClass.size === 0) others.set(unit, byClass);
  let other = byClass.get(ownClass);
  if (other === undefined) {
    other = Object.freeze({ ...unit, ownClass });
    byClass.set(ownClass, other);
  }
  return other;
}

/** What the threshold means for a unit and for the amounts that are guaranteed of it. */
export function thresholdsOf(
  unit: Pick<PoolUnitLimit, "thresholdParts" | "max" | "windowMs" | "guaranteed">,
): Pick<PoolUnitLimit, "free" | "freeForNone" | "skipped"> {
  const { thresholdParts, max, windowMs, guaranteed } = unit;
  return {
    free: partOf(max, thresholdParts, Math.floor),
    freeForNone: partOf(max, thresholdParts, Math.ceil),
    skipped: guaranteed.map((amount) => partOf(amount * windowMs, thresholdParts, Math.ceil)),
  };
}

/** `whole` × `parts` / 10 000 in exact integers, also where the product would exceed 2^53. */
function partOf(whole: number, parts: number, round: (value: number) => number): number {
  const rest = whole % THRESHOLD_PARTS;
  return ((whole - rest) / THRESHOLD_PARTS) * parts + round((rest * parts) / THRESHOLD_PARTS);
}

function makeUnits(pool: PriorityPoolLimit, ownClass: number): readonly PoolUnitLimit[] {
  const { name, mode, windowMs, whenSaturated, classes, saturationThreshold } = pool;
  // Sorted: two ways of writing a capacity are one pool.
  const names = Object.keys(pool.capacity).sort();
  const maxes = Object.freeze(names.map((unit) => pool.capacity[unit] as number));
  const thresholdParts = Math.round(saturationThreshold * THRESHOLD_PARTS);
  return names.map((unit, place) => {
    const max = maxes[place] as number;
    const guaranteed = pool.guaranteed[unit] as readonly number[];
    return Object.freeze({
      kind: "pool-unit",
      name,
      unit,
      max,
      mode,
      windowMs,
      units: names.join(","),
      maxes,
      place,
      thresholdParts,
      ...thresholdsOf({ thresholdParts, max, windowMs, guaranteed }),
      whenSaturated,
      classes,
      guaranteed,
      ownClass,
    });
  });
}
