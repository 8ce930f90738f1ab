import type { Cost } from "@sluice/core";
import fc from "fast-check";
import { anyCost, type CostShape } from "./any-question";

/**
 * One step of a story that a test plays on a fake clock. `permit` chooses among the permits given
 * so far (see {@link chosen}), whether they are still open or not.
 */
export type ArrivalStep =
  | { readonly type: "advance"; readonly ms: number }
  /** To the instant that the last rejection named, or one millisecond before it. */
  | { readonly type: "advance-to-retry"; readonly earlyMs: 0 | 1 }
  /** As the clock of a store may; for tests of transitions and stores only. */
  | { readonly type: "step-back"; readonly ms: number }
  | { readonly type: "admit"; readonly cost: Cost }
  | { readonly type: "peek"; readonly cost: Cost }
  | { readonly type: "settle"; readonly permit: number; readonly actual: Cost }
  | { readonly type: "release"; readonly permit: number }
  | { readonly type: "refund"; readonly permit: number }
  | { readonly type: "renew"; readonly permit: number }
  | { readonly type: "reset" };

/** Which stories a test wants to see. */
export interface ArrivalShape extends CostShape {
  /** @defaultValue advance, admit, settle, release and refund */
  readonly types?: readonly ArrivalStep["type"][];
  /**
   * The time scale of the limit under test, 1 or more: time moves by fractions and multiples of it,
   * and to just before, onto and just after it.
   *
   * @defaultValue 1 000
   */
  readonly windowMs?: number;
  /** The most steps. @defaultValue 40 */
  readonly lengthMax?: number;
}

/** Stories of arrivals, departures and time going by. Shrinks to few steps with small numbers. */
export function anyArrivals(shape: ArrivalShape = {}): fc.Arbitrary<readonly ArrivalStep[]> {
  const { types = ["advance", "admit", "settle", "release", "refund"], lengthMax = 40 } = shape;
  return fc.array(anyArrivalStep({ ...shape, types }), { maxLength: lengthMax });
}

/**
 * The permit that a step means: 0 is the newest, and counting goes round. Absent if there is none.
 */
export function chosen<P>(permits: readonly P[], permit: number): P | undefined {
  return permits.at(-1 - (permit % permits.length));
}

function anyArrivalStep(
  shape: ArrivalShape & { readonly types: readonly ArrivalStep["type"][] },
): fc.Arbitrary<ArrivalStep> {
  const cost = anyCost(shape);
  const ms = anyStepMs(shape.windowMs ?? 1_000);
  const permit = fc.nat({ max: 15 });
  const just = <T extends ArrivalStep["type"]>(type: T) => ({ type: fc.constant(type) });
  const plain = { noNullPrototype: true };
  const earlyMs = fc.constantFrom<(0 | 1)[]>(0, 1);
  const byType: { readonly [T in ArrivalStep["type"]]: fc.Arbitrary<ArrivalStep> } = {
    advance: fc.record({ ...just("advance"), ms }, plain),
    "advance-to-retry": fc.record({ ...just("advance-to-retry"), earlyMs }, plain),
    "step-back": fc.record({ ...just("step-back"), ms }, plain),
    admit: fc.record({ ...just("admit"), cost }, plain),
    peek: fc.record({ ...just("peek"), cost }, plain),
    settle: fc.record({ ...just("settle"), permit, actual: cost }, plain),
    release: fc.record({ ...just("release"), permit }, plain),
    refund: fc.record({ ...just("refund"), permit }, plain),
    renew: fc.record({ ...just("renew"), permit }, plain),
    reset: fc.record(just("reset"), plain),
  };
  return fc.oneof(
    ...shape.types.map((type) => ({ arbitrary: byType[type], weight: weightOf(type) })),
  );
}

/**
 * Most of a story is arrivals and time; a reset or a step back in every second step teaches little.
 */
function weightOf(type: ArrivalStep["type"]): number {
  if (type === "admit" || type === "advance") return 6;
  return type === "reset" || type === "step-back" ? 1 : 2;
}

function anyStepMs(windowMs: number): fc.Arbitrary<number> {
  const landmarks = [
    0,
    1,
    Math.floor(windowMs / 10),
    Math.floor(windowMs / 2),
    windowMs - 1,
    windowMs,
    windowMs + 1,
    2 * windowMs,
  ];
  return fc.oneof(
    fc.constantFrom(...landmarks),
    fc.nat({ max: windowMs }),
    fc.nat({ max: 3 * windowMs }),
  );
}
