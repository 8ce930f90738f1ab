import { isDeepStrictEqual } from "node:util";
import type { LimiterPermit, LimitStatus, Peek, Verdict } from "@sluice/core";
import { expect } from "vitest";
import type { ModelRejection, ModelStatus, ModelVerdict } from "./model-verdict";

/** Hints are the configured 1 000 ms, spread a little so that waiters do not come back together. */
const HINT_MS = { min: 750, max: 1_000 };

/** Fails unless the answer is what the model says, in every field and without any other. */
export function expectAsModelled(actual: Verdict<LimiterPermit> | Peek, model: ModelVerdict): void {
  const received = seen(actual);
  const expected = {
    admitted: model.rejection === undefined,
    statuses: model.statuses.map((status, index) => allow(status, actual.statuses[index])),
    ...(model.rejection === undefined ? {} : { rejection: refusal(model.rejection, actual) }),
  };
  // Many times faster than `expect`, which is only needed to show where they differ.
  if (!isDeepStrictEqual(received, expected)) expect(received).toStrictEqual(expected);
}

function seen(actual: Verdict<LimiterPermit> | Peek): unknown {
  if (!actual.admitted) return actual;
  return { admitted: actual.admitted, statuses: actual.statuses };
}

/** Puts a received number in the place of a range that contains it. */
function allow(status: ModelStatus, received: LimitStatus | undefined): unknown {
  const { min, max } = status.resetAfterMs;
  const actual = received?.resetAfterMs ?? Number.NaN;
  const isWithin = Number.isInteger(actual) && min <= actual && actual <= max;
  if (isWithin) return { ...status, resetAfterMs: actual };
  return { ...status, resetAfterMs: min === max ? min : status.resetAfterMs };
}

function refusal(model: ModelRejection, actual: Verdict<LimiterPermit> | Peek): unknown {
  const received = actual.admitted ? undefined : actual.rejection;
  const { retryAfterMs: waitMs, ...rest } = model;
  return {
    ...rest,
    ...(waitMs === undefined ? {} : { retryAfterMs: wait(waitMs, received?.retryAfterMs) }),
    violated: model.violated.map((status, index) => allow(status, received?.violated[index])),
  };
}

function wait(expected: number | "hint", received: number | undefined): unknown {
  if (expected !== "hint") return expected;
  const isHint = Number.isInteger(received) && within(received ?? 0);
  return isHint ? received : `a hint of ${HINT_MS.min} to ${HINT_MS.max} ms`;
}

function within(ms: number): boolean {
  return HINT_MS.min <= ms && ms <= HINT_MS.max;
}
