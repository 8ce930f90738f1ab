import {
  type ConcurrencyLimit,
  concurrency,
  type FixedWindowLimit,
  fixedWindow,
  type Limit,
  type SlidingLogLimit,
  type SlidingWindowLimit,
  slidingLog,
  slidingWindow,
  type TokenBucketLimit,
  tokenBucket,
} from "@sluice/core";
import fc from "fast-check";
import {
  commonOptions,
  type LimitShape,
  realisticMax,
  realisticWindowMs,
  sized,
  smallMax,
  unitOption,
} from "./limit-shape";

/** Fixed windows of both anchors. */
export function anyFixedWindow(shape: LimitShape = {}): fc.Arbitrary<FixedWindowLimit> {
  const options = (max: fc.Arbitrary<number>, windowMs: fc.Arbitrary<number>) =>
    fc.record(
      {
        ...commonOptions(shape),
        unit: unitOption(shape),
        max,
        windowMs,
        anchor: fc.constantFrom("first-request" as const, "epoch" as const),
      },
      { requiredKeys: ["mode", "unit", "max", "windowMs", "anchor"] },
    );
  return sized(
    shape,
    options(smallMax(shape), fc.integer({ min: 1, max: 50 })),
    options(realisticMax(shape), realisticWindowMs()),
  ).map((each) => fixedWindow(each));
}

/** Sliding windows of 1 to 20 buckets. */
export function anySlidingWindow(shape: LimitShape = {}): fc.Arbitrary<SlidingWindowLimit> {
  const options = (
    max: fc.Arbitrary<number>,
    buckets: fc.Arbitrary<number>,
    bucketMs: fc.Arbitrary<number>,
  ) =>
    fc.record(
      { ...commonOptions(shape), unit: unitOption(shape), max, buckets, bucketMs },
      { requiredKeys: ["mode", "unit", "max", "buckets", "bucketMs"] },
    );
  return sized(
    shape,
    options(smallMax(shape), fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 10 })),
    options(
      realisticMax(shape),
      fc.constantFrom(1, 6, 10, 20),
      fc.oneof(fc.constantFrom(100, 1_000, 6_000, 360_000), fc.integer({ min: 50, max: 9_999 })),
    ),
  ).map(({ bucketMs, ...rest }) => slidingWindow({ ...rest, windowMs: bucketMs * rest.buckets }));
}

/** Sliding logs; realistic ones hold at most 1 000 entries, as the constructor demands. */
export function anySlidingLog(shape: LimitShape = {}): fc.Arbitrary<SlidingLogLimit> {
  const options = (max: fc.Arbitrary<number>, windowMs: fc.Arbitrary<number>) =>
    fc.record(
      { ...commonOptions(shape), unit: unitOption(shape), max, windowMs },
      { requiredKeys: ["mode", "unit", "max", "windowMs"] },
    );
  return sized(
    shape,
    options(smallMax(shape), fc.integer({ min: 1, max: 50 })),
    options(realisticMax(shape, 1_000), realisticWindowMs()),
  ).map((each) => slidingLog(each));
}

/**
 * Token buckets, also such whose rate is no whole number of units per millisecond or the reverse.
 */
export function anyTokenBucket(shape: LimitShape = {}): fc.Arbitrary<TokenBucketLimit> {
  const options = (
    capacity: fc.Arbitrary<number>,
    refill: fc.Arbitrary<number>,
    perMs: fc.Arbitrary<number>,
  ) =>
    fc.record(
      { ...commonOptions(shape), unit: unitOption(shape), capacity, refill, perMs },
      { requiredKeys: ["mode", "unit", "capacity", "refill", "perMs"] },
    );
  return sized(
    shape,
    options(smallMax(shape), fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 20 })),
    options(
      realisticMax(shape),
      realisticMax({ ...shape, maxAtLeast: 1 }),
      fc.oneof(fc.constantFrom(1_000, 60_000, 3_600_000), fc.integer({ min: 1, max: 100_000 })),
    ),
  ).map((each) => tokenBucket(each));
}

/** Concurrency limits, with leases from the shortest allowed. */
export function anyConcurrency(shape: LimitShape = {}): fc.Arbitrary<ConcurrencyLimit> {
  const options = (
    max: fc.Arbitrary<number>,
    leaseMs: fc.Arbitrary<number>,
    leasesHeld: fc.Arbitrary<number>,
  ) =>
    fc.record(
      { ...commonOptions(shape), max, leaseMs, leasesHeld },
      { requiredKeys: ["mode", "max", "leaseMs", "leasesHeld"] },
    );
  return sized(
    shape,
    options(smallMax(shape), fc.integer({ min: 10, max: 50 }), fc.integer({ min: 1, max: 4 })),
    options(
      realisticMax(shape, 1_000),
      fc.oneof(fc.constant(30_000), fc.integer({ min: 1_000, max: 600_000 })),
      fc.integer({ min: 1, max: 2_000 }),
    ),
  ).map(({ leasesHeld, ...rest }) =>
    concurrency({ ...rest, maxHoldMs: rest.leaseMs * leasesHeld }),
  );
}

/** Limits of every kind, or of the given kinds. */
export function anyLimit(
  shape: LimitShape & { readonly kinds?: readonly Limit["kind"][] } = {},
): fc.Arbitrary<Limit> {
  const { kinds = allKinds } = shape;
  return fc.oneof(...kinds.map((kind) => byKind[kind](shape)));
}

/**
 * Lists of limits that may stand in one descriptor: at least one, no name twice.
 *
 * @param shape `atMost` limits, 4 by default, 16 at the most.
 */
export function anyLimits(
  shape: Parameters<typeof anyLimit>[0] & { readonly atMost?: number } = {},
): fc.Arbitrary<readonly Limit[]> {
  return fc.uniqueArray(anyLimit(shape), {
    minLength: 1,
    maxLength: shape.atMost ?? 4,
    selector: (limit) => limit.name,
  });
}

const byKind: { readonly [K in Limit["kind"]]: (shape: LimitShape) => fc.Arbitrary<Limit> } = {
  "fixed-window": anyFixedWindow,
  "sliding-window": anySlidingWindow,
  "sliding-log": anySlidingLog,
  "token-bucket": anyTokenBucket,
  concurrency: anyConcurrency,
};

const allKinds = Object.keys(byKind) as Limit["kind"][];
