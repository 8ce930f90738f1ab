import type { LimitMode } from "@sluice/core";
import fc from "fast-check";

/** Which limits a test wants to see. */
export interface LimitShape {
  /**
   * `small`: windows of 1 to 50 ms and a max of at most 8, where boundaries are met all the time.
   * `realistic`: windows from a second to 30 days and a max of up to 10 000 000, where sums grow.
   *
   * @defaultValue "both", half of each
   */
  readonly size?: "small" | "realistic" | "both";
  /** Units to count. @defaultValue ["requests", "tokens"] */
  readonly units?: readonly string[];
  /** Modes to draw. @defaultValue ["enforce"], since most laws are about limits that refuse */
  readonly modes?: readonly LimitMode[];
  /** The least max; 1 leaves out limits that admit nothing. @defaultValue 0 */
  readonly maxAtLeast?: number;
}

/**
 * Names that a limit may be given: short ones, so that limits of different kinds meet under one
 * name, and names that every JavaScript object has.
 */
const names = ["a", "b", "per.minute", "TPM_1", "__proto__", "constructor", "toString"];

/** The options that all limit constructors share. `name` is left out about every second time. */
export function commonOptions(shape: LimitShape) {
  return {
    mode: fc.constantFrom<LimitMode>(...(shape.modes ?? ["enforce"])),
    name: fc.constantFrom(...names),
  };
}

/** One of the wanted units. */
export function unitOption(shape: LimitShape): fc.Arbitrary<string> {
  return fc.constantFrom(...(shape.units ?? ["requests", "tokens"]));
}

/** One of two arbitraries by the wanted size, or both in turn. */
export function sized<T>(
  shape: LimitShape,
  small: fc.Arbitrary<T>,
  realistic: fc.Arbitrary<T>,
): fc.Arbitrary<T> {
  if (shape.size === "small") return small;
  if (shape.size === "realistic") return realistic;
  return fc.oneof(small, realistic);
}

/** A max of at most 8. */
export function smallMax(shape: LimitShape): fc.Arbitrary<number> {
  return fc.integer({ min: shape.maxAtLeast ?? 0, max: Math.max(8, shape.maxAtLeast ?? 0) });
}

/** A max as callers set it: round and crooked, up to `most`; rarely the least one. */
export function realisticMax(shape: LimitShape, most = 10_000_000): fc.Arbitrary<number> {
  const least = shape.maxAtLeast ?? 0;
  const round = [60, 100, 500, 1_000, 10_000, 1_000_000].filter(
    (max) => max >= least && max <= most,
  );
  return fc.oneof(
    { arbitrary: fc.constantFrom(most, ...round), weight: 4 },
    { arbitrary: fc.integer({ min: least, max: most }), weight: 4 },
    { arbitrary: fc.constant(least), weight: 1 },
  );
}

/** A window as callers set it, from a second to 30 days; mostly round. */
export function realisticWindowMs(): fc.Arbitrary<number> {
  const round = [1_000, 10_000, 60_000, 3_600_000, 86_400_000, 2_592_000_000];
  return fc.oneof(fc.constantFrom(...round), fc.integer({ min: 1_000, max: 100_000 }));
}
