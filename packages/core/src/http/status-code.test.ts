import { describe, expect, it } from "vitest";
import { reasonOrder } from "../verdict/reason";
import type { Reason } from "../verdict/verdict";
import { statusCodeOf } from "./status-code";

const byDefault = { costExceedsLimitStatus: 429, gateStatus: 503 } as const;
const changed = { costExceedsLimitStatus: 413, gateStatus: 429 } as const;

const table: readonly (readonly [Reason, number | null, number | null])[] = [
  // reason, by default, with both options changed
  ["cost_exceeds_limit", 429, 413],
  ["store_unavailable", 503, 503],
  ["window_exhausted", 429, 429],
  ["share_exhausted", 429, 429],
  ["concurrency_exhausted", 429, 429],
  ["queue_full", 503, 429],
  ["queue_timeout", 503, 429],
  ["evicted", 503, 429],
  ["deadline_unreachable", 503, 429],
  ["draining", 503, 503],
  ["aborted", null, null],
  ["throttled", null, null],
  ["retry_budget_exhausted", null, null],
  ["paused", null, null],
];

describe("the status of a reason", () => {
  it.each(table)("R056: %s is %s, and %s if so configured", (reason, first, second) => {
    expect(statusCodeOf(reason, byDefault)).toBe(first);
    expect(statusCodeOf(reason, changed)).toBe(second);
  });

  it("is decided for every reason", () => {
    expect(table.map(([reason]) => reason)).toEqual(reasonOrder);
  });

  it("R056: a full queue and a wait that timed out are of one class", () => {
    for (const config of [byDefault, changed]) {
      expect(statusCodeOf("queue_full", config)).toBe(statusCodeOf("queue_timeout", config));
    }
  });
});
