import type { OptionsReader } from "@sluice/core";

/** What a number has to be. */
export interface NumberBounds {
  readonly min: number;
  readonly max: number;
  /** Whether `min` itself is too little. @defaultValue false */
  readonly isAbove?: boolean;
}

/** Reads a number that has to be there. After a problem the result is `max`. */
export function requiredNumber(reader: OptionsReader, name: string, bounds: NumberBounds): number {
  const { min, max, isAbove = false } = bounds;
  const value = reader.raw(name);
  const isWithin =
    typeof value === "number" && value <= max && (isAbove ? value > min : value >= min);
  if (isWithin) return value;
  const expected = isAbove
    ? `a number above ${min}, at most ${max}`
    : `a number from ${min} to ${max}`;
  reader.problem(name, expected);
  return max;
}
