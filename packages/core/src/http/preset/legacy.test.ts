import { describe, expect, it } from "vitest";
import { standing } from "../../../test/http/rejections";
import { concurrency } from "../../limit/concurrency";
import { fixedWindow } from "../../limit/fixed-window";
import type { LimitStatus } from "../../verdict/verdict";
import { renderHeaders } from "../render";

const legacy = (statuses: readonly LimitStatus[]) => renderHeaders(statuses, { headers: "legacy" });
const requests = fixedWindow({ max: 5, windowMs: 60_000, name: "requests" });
const tokens = fixedWindow({ unit: "tokens", max: 1000, windowMs: 60_000, name: "tokens" });

describe("the legacy preset", () => {
  it("E-1: shows limit, remaining and the seconds until the reset", () => {
    expect(legacy([standing(requests, { used: 1, resetAfterMs: 59_500 })])).toEqual({
      "x-ratelimit-limit": "5",
      "x-ratelimit-remaining": "4",
      "x-ratelimit-reset": "60",
    });
  });

  it("E-11, R051: says 0 instead of leaving it out", () => {
    expect(legacy([standing(requests, { used: 7, resetAfterMs: 0 })])).toEqual({
      "x-ratelimit-limit": "5",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": "0",
    });
  });

  it("shows the limit of which the smallest share is left", () => {
    const statuses = [standing(requests, { used: 1 }), standing(tokens, { used: 990 })];
    expect(legacy(statuses)["x-ratelimit-limit"]).toBe("1000");
    expect(legacy(statuses.toReversed())["x-ratelimit-limit"]).toBe("1000");
  });

  it("shows the violated limit with the longest wait before any other", () => {
    const statuses = [
      standing(requests, { used: 5, resetAfterMs: 60_000 }),
      standing(tokens, { used: 900, admitted: false, retryAfterMs: 3000 }),
      standing({ ...tokens, max: 2000 }, { used: 1900, admitted: false, retryAfterMs: 9000 }),
    ];
    expect(legacy(statuses)).toEqual({
      "x-ratelimit-limit": "2000",
      "x-ratelimit-remaining": "100",
      "x-ratelimit-reset": "9",
    });
  });

  it("gives slots no reset", () => {
    expect(legacy([standing(concurrency({ max: 2 }), { used: 2 })])).toEqual({
      "x-ratelimit-limit": "2",
      "x-ratelimit-remaining": "0",
    });
  });
});
