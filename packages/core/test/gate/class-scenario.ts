import type { GateClassOptions, Outcome } from "@sluice/core";
import fc from "fast-check";

/** One thing that happens to a gate with classes and an adaptive limit. */
export type ClassStep =
  | {
      readonly do: "enter";
      readonly classPick: number;
      readonly key: string | undefined;
      readonly deadlineMs: number | undefined;
    }
  | { readonly do: "end"; readonly pick: number; readonly outcome: Outcome }
  | { readonly do: "first byte" | "abort"; readonly pick: number }
  | { readonly do: "advance"; readonly ms: number }
  | { readonly do: "limit"; readonly limit: number }
  | { readonly do: "probe" }
  | { readonly do: "reserve"; readonly classPick: number; readonly reserved: number };

/** A gate and what happens to it. */
export interface ClassScenario {
  readonly cap: number;
  readonly queueMax: number;
  readonly timeoutMs: number;
  readonly heldUntil: "first-byte" | "end";
  /** None: a gate without classes. */
  readonly classes: Readonly<Record<string, GateClassOptions>>;
  readonly steps: readonly ClassStep[];
}

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const pick = fc.nat(1000);
const cap = fc.integer({ min: 1, max: 6 });

const classOptions = fc
  .record({
    weight: fc.constantFrom(0.25, 0.75, 1, 3),
    isWeightGiven: fc.boolean(),
    reserved: fc.constantFrom(0, 0, 1, 2, 3),
    rank: fc.nat(2),
  })
  .map(({ weight, isWeightGiven, ...rest }) => (isWeightGiven ? { weight, ...rest } : rest));

const enter = fc.record({
  do: fc.constant("enter" as const),
  classPick: fc.nat(3),
  key: fc.constantFrom(undefined, undefined, "A", "A", "B"),
  deadlineMs: optional(fc.integer({ min: 0, max: 40 })),
});

const steps: fc.Arbitrary<readonly ClassStep[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: enter },
    {
      weight: 7,
      arbitrary: fc.record({
        do: fc.constant("end" as const),
        pick,
        outcome: fc.constantFrom<Outcome>("success", "dropped", "ignored"),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("first byte" as const), pick }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("abort" as const), pick }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("advance" as const), ms: fc.nat(12) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("limit" as const), limit: cap }) },
    { weight: 1, arbitrary: fc.constant({ do: "probe" as const }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("reserve" as const),
        classPick: fc.nat(3),
        reserved: fc.nat(4),
      }),
    },
  ),
  { minLength: 1, maxLength: 120, size: "max" },
);

/** Gates with 0 to 4 classes. */
export const anyClassScenario: fc.Arbitrary<ClassScenario> = fc.record({
  cap,
  queueMax: fc.nat(8),
  timeoutMs: fc.integer({ min: 1, max: 60 }),
  heldUntil: fc.constantFrom("end" as const, "first-byte" as const),
  classes: fc
    .array(classOptions, { maxLength: 4 })
    .map((all) => Object.fromEntries(all.map((each, index) => [`c${index}`, each]))),
  steps,
});
