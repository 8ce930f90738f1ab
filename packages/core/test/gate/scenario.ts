import type { GateUpdate } from "@sluice/core";
import fc from "fast-check";

/** One thing that happens to a gate. */
export type Step =
  | { readonly do: "enter"; readonly deadlineMs: number | undefined; readonly isAborted: boolean }
  | { readonly do: "end" | "abort"; readonly pick: number }
  | { readonly do: "advance"; readonly ms: number }
  | { readonly do: "update"; readonly update: GateUpdate }
  | { readonly do: "bad update" | "drain" };

/** A gate and what happens to it. */
export interface Scenario {
  readonly cap: number;
  readonly queueMax: number | undefined;
  readonly timeoutMs: number;
  readonly enforceRatio: number;
  /** How late every timer fires, as on a stalled event loop. */
  readonly timersLateMs: number;
  readonly steps: readonly Step[];
}

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const cap = fc.integer({ min: 1, max: 4 });
const queueMax = fc.integer({ min: 0, max: 4 });
const timeoutMs = fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 60 }));
export const anyRatio = fc.constantFrom(0, 0.5, 1);

/** Changes of everything, one or several settings at a time. */
export const anyUpdate = fc
  .record({
    maxInFlight: optional(cap),
    queue: optional(fc.record({ max: optional(queueMax), timeoutMs: optional(timeoutMs) })),
    mode: optional(fc.constantFrom("enforce" as const, "enforce" as const, "shadow", "off")),
    enforceRatio: optional(anyRatio),
  })
  .map((value) => value as GateUpdate);

/** Changes of the cap only. */
export const capUpdate = cap.map((maxInFlight): GateUpdate => ({ maxInFlight }));

const stepsWith = (updates: fc.Arbitrary<GateUpdate>): fc.Arbitrary<readonly Step[]> => {
  const enter = fc.record({
    do: fc.constant("enter" as const),
    deadlineMs: optional(fc.integer({ min: -1, max: 40 })),
    isAborted: fc.integer({ min: 0, max: 19 }).map((drawn) => drawn === 0),
  });
  const pick = fc.nat(1000);
  return fc.array(
    fc.oneof(
      { weight: 10, arbitrary: enter },
      { weight: 6, arbitrary: fc.record({ do: fc.constant("end" as const), pick }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant("abort" as const), pick }) },
      {
        weight: 5,
        arbitrary: fc.record({
          do: fc.constant("advance" as const),
          ms: fc.oneof(fc.nat(3), fc.nat(12)),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ do: fc.constant("update" as const), update: updates }),
      },
      { weight: 1, arbitrary: fc.constant({ do: "bad update" as const }) },
    ),
    { minLength: 1, maxLength: 80, size: "max" },
  );
};

/** Scenarios whose updates and enforce ratio come from the given arbitraries. */
export const scenarioWith = (
  updates: fc.Arbitrary<GateUpdate>,
  enforceRatio: fc.Arbitrary<number>,
) =>
  fc
    .record({
      cap,
      queueMax: optional(queueMax),
      timeoutMs,
      enforceRatio,
      timersLateMs: fc.constantFrom(0, 0, 3),
      steps: stepsWith(updates),
      drainAt: fc.nat(320),
    })
    .map(({ drainAt, steps, ...rest }): Scenario => {
      // Mostly beyond the last step: a gate that drains has little left to show.
      if (drainAt >= steps.length) return { ...rest, steps };
      const [before, after] = [steps.slice(0, drainAt), steps.slice(drainAt)];
      return { ...rest, steps: [...before, { do: "drain" }, ...after] };
    });
