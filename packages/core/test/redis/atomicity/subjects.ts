import {
  concurrency,
  type Descriptor,
  type DescriptorLimit,
  fixedWindow,
  priorityPool,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "@sluice/core";

/** A hundred years without leap days: what lasts does not end during a test. */
const LONG_MS = 3_153_600_000_000;
const DAY_MS = 86_400_000;

/** What a thousand ask at once, and what may be in use then: 5 of each. */
export const burstQuestions = {
  "a fixed window": one(fixedWindow({ max: 5, windowMs: LONG_MS })),
  "a sliding window": one(slidingWindow({ max: 5, windowMs: LONG_MS })),
  "a sliding log": one(slidingLog({ max: 5, windowMs: LONG_MS })),
  "a token bucket": one(tokenBucket({ capacity: 5, refill: 1, perMs: DAY_MS })),
  // A class that is held to 5 of 20 from the moment when 5 are in use.
  "a strict pool": one(
    priorityPool({
      ...{ capacity: { requests: 20 }, windowMs: LONG_MS, shares: { other: 0.75 } },
      ...{ defaultShare: 0.25, saturationThreshold: 0.25, whenSaturated: "strict" },
    }),
  ),
  // Of 10, 5 are set aside for another class: ⌊6 × 0.9⌋, during the first tenth of the window.
  "a pool that lends": one(
    priorityPool({
      ...{ name: "lending", capacity: { requests: 10 }, windowMs: LONG_MS, shares: { other: 0.6 } },
      ...{ saturationThreshold: 0.1, whenSaturated: "lend" },
    }),
  ),
  slots: one(concurrency({ max: 5 })),
  "all kinds together": one(
    slidingLog({ max: 1_000, windowMs: LONG_MS }),
    tokenBucket({ capacity: 900, refill: 1, perMs: DAY_MS }),
    fixedWindow({ max: 5, windowMs: LONG_MS }),
    concurrency({ max: 800 }),
  ),
  "several subjects": [
    subject("wide", fixedWindow({ max: 1_000_000, windowMs: LONG_MS })),
    subject("narrow", slidingLog({ max: 5, windowMs: LONG_MS })),
    subject("parallel", concurrency({ max: 2_000 })),
  ],
} as const satisfies Readonly<Record<string, readonly Descriptor[]>>;

export type BurstName = keyof typeof burstQuestions;

function subject(id: string, ...limits: readonly DescriptorLimit[]): Descriptor {
  return { kind: "burst", id, limits };
}

function one(...limits: readonly DescriptorLimit[]): readonly Descriptor[] {
  return [subject(limits.map(({ name }) => name).join("-"), ...limits)];
}

/** Subjects whose limits overlap in the questions of the mixed runs. */
export const mixedSubjects: readonly Descriptor[] = [
  {
    kind: "team",
    id: "t",
    limits: [
      fixedWindow({ name: "lasting-requests", max: 150, windowMs: LONG_MS }),
      slidingWindow({ name: "lasting-tokens", unit: "tokens", max: 4_000, windowMs: LONG_MS }),
      concurrency({ name: "slots", max: 10 }),
    ],
  },
  ...["u1", "u2", "u3"].map((id) => ({
    kind: "user",
    id,
    limits: [
      slidingLog({ name: "log", max: 6, windowMs: 200 }),
      fixedWindow({ name: "window", max: 8, windowMs: 150 }),
      tokenBucket({
        name: "lasting-bucket",
        unit: "tokens",
        capacity: 2_000,
        refill: 1,
        perMs: DAY_MS,
      }),
      concurrency({ name: "slots", max: 4 }),
    ],
  })),
  {
    kind: "model",
    id: "m",
    limits: [
      slidingWindow({ name: "sliding", max: 12, windowMs: 400, buckets: 4 }),
      tokenBucket({ name: "bucket", capacity: 10, refill: 20, perMs: 100 }),
      slidingLog({ name: "lasting-log", max: 400, windowMs: LONG_MS }),
      priorityPool({
        ...{ name: "lasting-pool", capacity: { requests: 120, tokens: 2_500 }, windowMs: LONG_MS },
        ...{ shares: { other: 0.25 }, whenSaturated: "lend" },
      }),
    ],
  },
];
