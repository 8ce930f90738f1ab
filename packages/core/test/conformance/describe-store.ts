import { admittingCases, boundaryCases, largeNumberCases, lookingCases } from "./counting-cases";
import { identityCases } from "./identity-cases";
import { poolCases } from "./pool-cases";
import { questionCases } from "./question-cases";
import type { TestRunner } from "./runner";
import { settleOnceCases, settlingCases } from "./settling-cases";
import { slotCases } from "./slot-cases";
import type { StoreCase } from "./store-case";
import type { StoreSubject } from "./store-subject";
import { StoreTrial } from "./store-trial";
import { undoCases } from "./undo-cases";

/** Everything that a store has to do, by what it is about. */
const groups = {
  counting: [...admittingCases, ...boundaryCases, ...lookingCases, ...largeNumberCases],
  settling: [...settlingCases, ...settleOnceCases],
  questions: questionCases,
  pools: poolCases,
  ids: identityCases,
  slots: slotCases,
  undo: undoCases,
} satisfies Readonly<Record<string, readonly StoreCase[]>>;

/** A kind of store under test. */
export interface StoreKind {
  readonly name: string;
  /** Called once, by the first test. */
  readonly open: () => StoreSubject | Promise<StoreSubject>;
  /**
   * Whether time passes by the subject's `pass` only, and then exactly; cases that need that are
   * left out elsewhere.
   */
  readonly isTimeExact: boolean;
  /** @defaultValue all */
  readonly only?: readonly (keyof typeof groups)[];
}

/** Defines the tests of a kind of store: whoever implements the `Store` port runs them. */
export function describeStore(
  { name, open, isTimeExact, only = Object.keys(groups) as (keyof typeof groups)[] }: StoreKind,
  { describe, it, afterAll, expect }: TestRunner,
): void {
  let opened: Promise<StoreSubject> | undefined;
  const theSubject = () => {
    opened ??= Promise.resolve(open());
    return opened;
  };
  const run = async ({ run: runCase }: StoreCase) => {
    const trial = new StoreTrial(await theSubject(), isTimeExact, expect);
    try {
      await runCase(trial);
    } finally {
      await trial.close();
    }
  };
  describe(`${name} is a store:`, () => {
    for (const group of only) {
      describe(group, () => {
        for (const each of groups[group] as readonly StoreCase[]) {
          if (isTimeExact || each.needsExactTime !== true) it(each.name, () => run(each));
        }
      });
    }
    afterAll(async () => (await opened)?.close());
  });
}
