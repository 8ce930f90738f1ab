import fc from "fast-check";
import { startsMs } from "../stage";
import { catalogueNames, type LimitChoice } from "./catalogue";
import type { Scenario, Step, SubjectChoice } from "./step";

const pick = fc.nat({ max: 20 });

/** Small ceilings and costs of about their size, so that every other question is refused. */
const max = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 12, arbitrary: fc.integer({ min: 1, max: 5 }) },
  { weight: 2, arbitrary: fc.integer({ min: 6, max: 12 }) },
);
const units = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 3 }) },
  { weight: 1, arbitrary: fc.integer({ min: 4, max: 9 }) },
);
const cost = fc.record({ requests: units, tokens: units }, { requiredKeys: [] });

const rarely = (weight: number) =>
  fc.oneof({ weight, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) });

const limitChoice: fc.Arbitrary<LimitChoice> = fc.record({
  pick,
  max,
  isShadow: rarely(7),
  isReshaped: rarely(30),
  isBent: rarely(5),
});

const subjectChoice: fc.Arbitrary<SubjectChoice> = fc.record({
  subject: fc.constantFrom(0, 0, 0, 1, 2),
  limits: fc.array(limitChoice, { minLength: 1, maxLength: 3 }),
});

const subjects = fc.oneof(
  { weight: 2, arbitrary: fc.array(subjectChoice, { minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: fc.array(subjectChoice, { minLength: 2, maxLength: 3 }) },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 20, arbitrary: fc.record({ do: fc.constant("ask" as const), subjects, cost }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("ask and crash" as const), subjects, cost }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("peek" as const), subjects, cost }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("settle" as const), pick, actual: cost }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("release" as const), pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("refund" as const), pick }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("reset" as const), subject: fc.nat({ max: 2 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 60 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("wait until told" as const),
      pick,
      offsetMs: fc.constantFrom(-1 as const, 0 as const, 1 as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("wait long" as const),
      units: fc.integer({ min: 10, max: 300 }),
    }),
  },
);

const fields = {
  startMs: fc.constantFrom(...startsMs),
  unitMs: fc.constantFrom(10, 10, 30, 6_000),
  limits: fc.uniqueArray(fc.constantFrom(...catalogueNames), { minLength: 1, maxLength: 4 }),
  steps: fc.array(step, { maxLength: 80, size: "max" }),
};

/** Plays over one to four limits, 40 steps long on average. Nothing about a limit is constant. */
export const scenario: fc.Arbitrary<Scenario> = fc.record(fields);

/** Plays in which a limit is the same, in everything but its mode, whenever it is named. */
export const steadyScenario: fc.Arbitrary<Scenario> = fc
  .record({ ...fields, ceilings: fc.array(max, { minLength: 4, maxLength: 4 }) })
  .map((drawn) => ({ ...drawn, steps: drawn.steps.map(steadied) }));

function steadied(drawn: Step): Step {
  if (!("subjects" in drawn)) return drawn;
  const subjects = drawn.subjects.map(({ subject, limits }) => ({
    subject,
    limits: limits.map((choice) => ({ ...choice, isReshaped: false, isBent: false })),
  }));
  return { ...drawn, subjects };
}
