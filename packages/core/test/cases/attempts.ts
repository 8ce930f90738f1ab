import type { Limit, LimiterPermit, LimitStatus, Question, Rejection, Verdict } from "@sluice/core";
import { expect } from "vitest";
import type { Stage } from "../stage";
import { storeUnderTest } from "../store/store-under-test";

/** The HTTP status that a verdict would become: the short word for it in tables. */
export type Status = 200 | 429 | 503;

/** When (milliseconds since the table began), at what cost, what it must get, and by whom. */
export type Attempt = readonly [at: number, cost: number, status: Status, by?: string];

/** A question for the limits of one subject. */
export function questionOf(limits: readonly Limit[], by = "k", requests = 1): Question {
  return { descriptors: [{ kind: "key", id: by, limits }], cost: { requests } };
}

export function statusOf(verdict: Verdict<LimiterPermit>): Status {
  if (verdict.admitted) return 200;
  return verdict.rejection.reason === "store_unavailable" ? 503 : 429;
}

/** Makes the attempts of a table at their instants and expects the statuses beside them. */
export async function expectAttempts(
  on: Stage,
  limits: readonly Limit[],
  attempts: readonly Attempt[],
): Promise<void> {
  const beganMs = on.clock.nowMs();
  const received: Attempt[] = [];
  for (const [at, cost, expected, by] of attempts) {
    await moveTo(on, beganMs + at);
    const status = statusOf(await on.limiter.admit(questionOf(limits, by, cost)));
    received.push(by === undefined ? [at, cost, status] : [at, cost, status, by]);
    expect(status, `at ${at}, cost ${cost}, by ${by ?? "k"}`).toBe(expected);
  }
  expect(received).toEqual(attempts);
}

/** Which of the instants (milliseconds from now, ascending) are admitted. */
export async function admittedAt(
  on: Stage,
  limits: readonly Limit[],
  instants: readonly number[],
): Promise<number[]> {
  const beganMs = on.clock.nowMs();
  const admitted: number[] = [];
  for (const at of instants) {
    await moveTo(on, beganMs + at);
    if ((await on.limiter.admit(questionOf(limits))).admitted) admitted.push(at);
  }
  return admitted;
}

/** Every `stepMs` from 0, `count` instants. */
export function every(stepMs: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => index * stepMs);
}

/** Where each limit stands, without a charge. */
export async function statusesOf(
  on: Pick<Stage, "limiter">,
  limits: readonly Limit[],
  by = "k",
): Promise<readonly LimitStatus[]> {
  return (await on.limiter.peek(questionOf(limits, by))).statuses;
}

/** What each limit counts, without a charge. */
export async function usedOf(
  on: Pick<Stage, "limiter">,
  limits: readonly Limit[],
  by = "k",
): Promise<readonly number[]> {
  return (await statusesOf(on, limits, by)).map(({ used }) => used);
}

/** The rejection that a question gets now. */
export async function rejectionOf(
  on: Pick<Stage, "limiter">,
  limits: readonly Limit[],
  by = "k",
  requests = 1,
): Promise<Rejection> {
  const verdict = await on.limiter.admit(questionOf(limits, by, requests));
  if (verdict.admitted) throw new Error("expected a rejection, was admitted");
  return verdict.rejection;
}

/**
 * Expects that nothing is kept that is over. On a server keys end by its own time, which no
 * test can move; that they do end is checked there after each test.
 */
export function expectSwept({ store }: Pick<Stage, "store">): void {
  if (storeUnderTest().kind === "memory") expect(store.size).toBe(0);
}

/** Moves the clock of a stage to an instant. */
/** Lets time pass until an instant. */
export async function moveTo(on: Stage, instantMs: number): Promise<void> {
  await on.clock.advanceAsync(instantMs - on.clock.nowMs());
}
