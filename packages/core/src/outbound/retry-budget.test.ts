import type { OutboundPermit, RetryBudget, RetryBudgetOptions, SluiceEvent } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { problemPathsOf } from "../../test/problem-paths";
import { retryBudget } from "./retry-budget";

const startMany = (budget: RetryBudget, count: number) =>
  Array.from({ length: count }, () => budget.start());

/** Retries until one is refused; the permits of those that were granted. */
function retryAll(budget: RetryBudget): OutboundPermit[] {
  const granted: OutboundPermit[] = [];
  for (let verdict = budget.tryRetry(); verdict.admitted; verdict = budget.tryRetry()) {
    granted.push(verdict.permit);
  }
  return granted;
}

describe("retryBudget", () => {
  it.each([
    { calls: 0, granted: 3 },
    { calls: 1, granted: 3 },
    { calls: 12, granted: 3 },
    { calls: 16, granted: 4 },
    { calls: 100, granted: 25 },
  ])(
    "beside $calls calls grants $granted: a fifth of all, three at least",
    ({ calls, granted }) => {
      const budget = retryBudget();
      startMany(budget, calls);
      expect(retryAll(budget)).toHaveLength(granted);
      expect(budget.stats()).toEqual({
        inFlight: calls + granted,
        retriesInFlight: granted,
        attempts: calls + granted,
        retries: granted,
        refused: 1,
      });
    },
  );

  it.each([
    { share: 0.29, calls: 71, granted: 29 },
    { share: 0.07, calls: 93, granted: 7 },
    { share: 0, calls: 1000, granted: 0 },
  ])("takes a share of $share exactly", ({ share, calls, granted }) => {
    const budget = retryBudget({ share, min: 0 });
    startMany(budget, calls);
    expect(retryAll(budget)).toHaveLength(granted);
  });

  it("grants again when a retry has ended, once however often it is ended", () => {
    const budget = retryBudget({ min: 1 });
    const [retry] = retryAll(budget);
    retry?.firstByte();
    retry?.end("dropped");
    retry?.end();
    expect(budget.stats()).toMatchObject({ inFlight: 0, retriesInFlight: 0 });
    expect(retryAll(budget)).toHaveLength(1);
  });

  it("takes from the share what has ended", () => {
    const budget = retryBudget({ min: 0 });
    const calls = startMany(budget, 8);
    expect(retryAll(budget)).toHaveLength(2);
    for (const call of calls) call.end();
    expect(budget.stats()).toMatchObject({ inFlight: 2, retriesInFlight: 2 });
    expect(budget.tryRetry().admitted).toBe(false);
  });

  it("refuses an attempt beyond the bound of one call for good, whatever is in flight", () => {
    const budget = retryBudget();
    startMany(budget, 100);
    expect(budget.tryRetry({ attempt: 3 }).admitted).toBe(true);
    expect(budget.tryRetry({ attempt: 4 })).toEqual({
      admitted: false,
      rejection: { reason: "retry_budget_exhausted", retryable: false, violated: [] },
      statuses: [],
    });
  });

  it("refuses without a wait, and tells the recorder", () => {
    const events: SluiceEvent[] = [];
    const recorder = { record: (event: SluiceEvent) => void events.push(event) };
    const budget = retryBudget({ min: 0, recorder, name: "search" });
    expect(budget.tryRetry()).toEqual({
      admitted: false,
      rejection: { reason: "retry_budget_exhausted", retryable: true, violated: [] },
      statuses: [],
    });
    const reason = "retry_budget_exhausted";
    expect(events).toEqual([{ type: "outbound_rejected", outbound: "search", reason }]);
  });

  it.each([
    [{ share: 1.1 }, ["share"]],
    [{ share: Number.NaN, min: -1, maxAttempts: 0 }, ["share", "min", "maxAttempts"]],
    [{ floor: 3, name: "" }, ["floor", "name"]],
  ])("%j is refused", (options, paths) => {
    expect(problemPathsOf(() => retryBudget(options as RetryBudgetOptions))).toEqual(paths);
  });

  it.each([1, 1.5, Number.NaN])("an attempt of %d is refused as a mistake", (attempt) => {
    expect(problemPathsOf(() => retryBudget().tryRetry({ attempt }))).toEqual(["attempt"]);
  });
});
