import type { LimitChoice } from "./catalogue";
import type { Scenario, Step } from "./step";

/** Plays on which limiter and model once differed, or that a mutant survived. Played first. */
export const foundFailures: readonly Scenario[] = [
  // A shadow status told a wait although it is always admitted.
  onOne("fixed-requests", [
    asking({ max: 1, isShadow: true }, { requests: 1 }),
    asking({ max: 2, isShadow: true }, { requests: 2 }),
  ]),
  // The anchor is an argument of the question.
  onOne("fixed-requests", [{ do: "wait", ms: 1 }, asking({ max: 1, isBent: true }, {})]),
  // Another rate under the same name made a bucket full.
  onOne("bucket-requests", [asking({ max: 5, isBent: true }, { requests: 1 })]),
  // Expired state of another shape swallowed an extra charge.
  onOne("sliding-requests", [
    asking({ max: 6, isReshaped: true }, { requests: 2 }),
    { do: "wait", ms: 69 },
    { do: "settle", pick: 0, actual: { requests: 1 } },
    { do: "wait", ms: 112 },
    asking({ max: 1 }, { requests: 0 }),
    { do: "settle", pick: 1, actual: { requests: 4 } },
  ]),
  // A refund that came to nothing went on at the rate of its own permit.
  onOne("bucket-requests", [
    asking({ max: 2, isBent: true }, { requests: 2 }),
    { do: "wait", ms: 27 },
    { do: "settle", pick: 0, actual: { requests: 1 } },
  ]),
  // A bucket forgot what was missing when it was full for the smaller of two capacities.
  onOne("bucket-requests", [
    asking({ max: 1 }, { requests: 1 }),
    asking({ max: 2 }, { requests: 2 }),
    { do: "wait", ms: 24 },
    asking({ max: 2 }, { requests: 2 }),
  ]),
  // A refund to 0 by a permit of a small capacity must not make a bucket look untouched.
  onOne("bucket-requests", [
    asking({ max: 1 }, { requests: 1 }),
    { do: "wait", ms: 24 },
    asking({ max: 2 }, { requests: 1 }),
    { do: "refund", pick: 0 },
  ]),
  // State of another shape that was refunded to 0 still has its time.
  onOne("sliding-tokens", [
    asking({ max: 1 }, { tokens: 0 }),
    asking({ max: 1, isReshaped: true }, { tokens: 1 }),
    { do: "refund", pick: 1 },
    { do: "settle", pick: 0, actual: { tokens: 1 } },
  ]),
  // A bucket that became full by the quicker of two rates takes nothing back from before.
  onOne("bucket-requests", [
    asking({ max: 6 }, { requests: 3 }),
    asking({ max: 4, isBent: true }, { requests: 1 }),
    { do: "wait", ms: 56 },
    asking({ max: 2 }, { requests: 1 }),
    { do: "refund", pick: 0 },
  ]),
  // Both of two limits that start fresh are told.
  {
    startMs: 0,
    unitMs: 10,
    limits: ["fixed-requests", "log-requests"],
    steps: [
      askingBoth({ max: 5 }, { requests: 1 }),
      askingBoth({ max: 5, isReshaped: true }, { requests: 1 }),
    ],
  },
];

function onOne(limit: Scenario["limits"][number], steps: readonly Step[]): Scenario {
  return { startMs: 0, unitMs: 10, limits: [limit], steps };
}

function asking(choice: Omit<LimitChoice, "pick">, cost: Record<string, number>): Step {
  return { do: "ask", subjects: [{ subject: 0, limits: [{ pick: 0, ...choice }] }], cost };
}

function askingBoth(choice: Omit<LimitChoice, "pick">, cost: Record<string, number>): Step {
  const limits = [0, 1].map((pick) => ({ pick, ...choice }));
  return { do: "ask", subjects: [{ subject: 0, limits }], cost };
}
