import { concurrency, fixedWindow, type Limit, slidingWindow } from "@sluice/core";
import type { Step } from "./step";

/** A sequence on which a script and its transition once differed, as fast-check shrank it. */
export interface FoundSequence {
  readonly what: string;
  readonly startMs: number;
  readonly steps: readonly Step[];
}

const sliding = slidingWindow({ name: "a", max: 5, windowMs: 100, buckets: 4 });
const slots = concurrency({ name: "a", max: 2, leaseMs: 100 });
const never = fixedWindow({ name: "c", max: 0, windowMs: 50, mode: "shadow" });
const window = fixedWindow({ name: "a", max: 5, windowMs: 100 });

/** One question of one limit of descriptor a. */
function step(type: Step["type"], passMs: number, limit: Limit, more: Partial<Step> = {}): Step {
  const asked = { requests: 1, tokens: 0, operation: 0, undoableForMs: 0 };
  const questions = [{ targets: [{ id: "a", limits: [limit] }], ...asked }];
  return { type, passMs, questions, back: 0, amount: 0, flag: false, ...more };
}

function undoable(from: Step, undoableForMs: number): Step {
  return { ...from, questions: from.questions.map((asked) => ({ ...asked, undoableForMs })) };
}

/** Seeds -1130845604, -1074590199, 432782119 and -882233766. */
export const foundSequences: readonly FoundSequence[] = [
  {
    what: "an undo of a charge whose slice lies in the future after a step back",
    startMs: 0,
    steps: [
      step("admit", 99, sliding),
      undoable(step("admit", 0, sliding), 300),
      step("undo", -5_000, sliding),
      step("admit", 0, sliding),
    ],
  },
  {
    what: "a record that expires while only slots are asked for, and a step back",
    startMs: 0,
    steps: [
      undoable(step("admit", 0, slots), 1),
      step("admit", 99, slots),
      step("admit", -5_000, slots),
    ],
  },
  {
    what: "what is told again brings back what lies in the future, as a refusal does",
    startMs: 0,
    steps: [
      undoable(step("admit", 100, sliding), 3_000),
      undoable(step("admit", -1, sliding), 3_000),
      step("admit", 0, fixedWindow({ name: "d", max: 2, windowMs: 100 })),
    ],
  },
  {
    what: "a chain of nothing but an expired record is not somebody else's",
    startMs: 0,
    steps: [
      undoable(step("admit", 0, never), 1),
      step("admit", 1, window),
      step("peek", -1, window),
    ],
  },
];
