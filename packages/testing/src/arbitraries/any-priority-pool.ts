import { type PriorityPoolLimit, priorityPool, type WhenSaturated } from "@sluice/core";
import fc from "fast-check";
import {
  commonOptions,
  type LimitShape,
  realisticMax,
  realisticWindowMs,
  sized,
  smallMax,
} from "./limit-shape";

/** The names of classes that pools are given; the class `default` is always there besides. */
export const poolClasses = ["a", "b", "c"] as const;

/** Which pools a test wants to see. */
export interface PoolShape extends LimitShape {
  /** @defaultValue both */
  readonly whenSaturated?: WhenSaturated;
  /** @defaultValue 0, 0.1, 0.5, 0.8, 1, and any part of 10 000 */
  readonly saturationThreshold?: number;
}

/**
 * Priority pools that count some of the units, of up to three classes whose shares may sum to less
 * than 1, to 1, or to more; with and without a share for the class `default`.
 */
export function anyPriorityPool(shape: PoolShape = {}): fc.Arbitrary<PriorityPoolLimit> {
  const { units = ["requests", "tokens"] } = shape;
  const share = fc.oneof(
    fc.constantFrom(0, 0.05, 0.25, 0.5, 1),
    fc.integer({ max: 100, min: 0 }).map(hundredth),
  );
  const thresholds = fc.oneof(
    fc.constantFrom(0, 0.1, 0.5, 0.8, 1),
    fc.nat({ max: 10_000 }).map((parts) => parts / 10_000),
  );
  const options = (max: fc.Arbitrary<number>, windowMs: fc.Arbitrary<number>) =>
    fc.record(
      {
        ...commonOptions(shape),
        capacity: fc.record(Object.fromEntries(units.map((unit) => [unit, max])), {
          requiredKeys: [units[0] as string],
          noNullPrototype: true,
        }),
        windowMs,
        shares: fc.dictionary(fc.constantFrom(...poolClasses), share, { noNullPrototype: true }),
        defaultShare: share,
        saturationThreshold:
          shape.saturationThreshold === undefined
            ? thresholds
            : fc.constant(shape.saturationThreshold),
        whenSaturated:
          shape.whenSaturated === undefined
            ? fc.constantFrom<WhenSaturated>("strict", "lend")
            : fc.constant(shape.whenSaturated),
      },
      {
        requiredKeys: [
          "mode",
          "capacity",
          "windowMs",
          "shares",
          "saturationThreshold",
          "whenSaturated",
        ],
      },
    );
  // As many units of each as there can be classes with a share.
  const atLeast = { ...shape, maxAtLeast: Math.max(poolClasses.length + 1, shape.maxAtLeast ?? 0) };
  return sized(
    shape,
    options(smallMax(atLeast), fc.integer({ min: 1, max: 50 })),
    options(realisticMax(atLeast, 3_000_000), realisticWindowMs()),
  ).map((each) => priorityPool(each as Parameters<typeof priorityPool>[0]));
}

function hundredth(hundredths: number): number {
  return hundredths / 100;
}
