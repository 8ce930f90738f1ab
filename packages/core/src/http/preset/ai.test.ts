import { describe, expect, it } from "vitest";
import { gateRejected, rejectedFor, standing } from "../../../test/http/rejections";
import { concurrency } from "../../limit/concurrency";
import { fixedWindow } from "../../limit/fixed-window";
import { renderHeaders, renderRejection } from "../render";

const rpm = fixedWindow({ max: 3, windowMs: 60_000, name: "rpm" });
const tpm = fixedWindow({ unit: "tokens", max: 10_000, windowMs: 60_000, name: "tpm" });

const rejectionHeaders = (retryAfterMs: number) => {
  const full = standing(rpm, { used: 3, admitted: false, retryAfterMs });
  const rejected = rejectedFor("window_exhausted", [full], { retryAfterMs });
  return renderRejection(rejected, { headers: "ai" })?.headers;
};

describe("the ai preset", () => {
  it("uses OpenAI's names, for every unit but slots", () => {
    const statuses = [
      standing(rpm, { used: 1, resetAfterMs: 1000 }),
      standing(tpm, { used: 500, resetAfterMs: 360_000 }),
      standing(concurrency({ max: 2 }), { used: 1 }),
    ];
    expect(renderHeaders(statuses, { headers: "ai" })).toEqual({
      "x-ratelimit-limit-requests": "3",
      "x-ratelimit-remaining-requests": "2",
      "x-ratelimit-reset-requests": "1s",
      "x-ratelimit-limit-tokens": "10000",
      "x-ratelimit-remaining-tokens": "9500",
      "x-ratelimit-reset-tokens": "6m0s",
    });
  });

  it.each([
    [0, "0s"],
    [12, "12ms"],
    [999, "999ms"],
    [1000, "1s"],
    [1500, "1.5s"],
    [59_999, "59.999s"],
    [60_000, "1m0s"],
    [3_600_000, "1h0m0s"],
    [86_400_000, "24h0m0s"],
    [-1, "0s"],
  ])("writes %d ms as %s, the way Go does", (resetAfterMs, text) => {
    const headers = renderHeaders([standing(rpm, { resetAfterMs })], { headers: "ai" });
    expect(headers["x-ratelimit-reset-requests"]).toBe(text);
  });

  it("R084: gives the exact milliseconds beside the rounded seconds", () => {
    const headers = rejectionHeaders(250);
    expect(headers?.["retry-after-ms"]).toBe("250");
    expect(headers?.["retry-after"]).toBe("1");
    expect(headers?.["x-ratelimit-reset-requests"]).toBe("250ms");
  });

  it.each([
    [59_000, undefined],
    [60_000, undefined],
    [60_001, "false"],
    [600_000, "false"],
  ])("R084: a wait of %d ms gives x-should-retry %s", (wait, text) => {
    expect(rejectionHeaders(wait)?.["x-should-retry"]).toBe(text);
  });

  it("tells clients not to repeat what can never pass, and no wait", () => {
    const rejected = rejectedFor("cost_exceeds_limit", [standing(tpm, { admitted: false })], {
      retryable: false,
    });
    const headers = renderRejection(rejected, { headers: "ai" })?.headers;
    expect(headers?.["x-should-retry"]).toBe("false");
    expect(headers).not.toHaveProperty("retry-after");
    expect(headers).not.toHaveProperty("retry-after-ms");
  });

  it("speaks for a gate too", () => {
    expect(renderRejection(gateRejected("queue_full"), { headers: "ai" })?.headers).toEqual({
      "content-type": "application/problem+json",
      "retry-after": "1",
      "retry-after-ms": "1000",
    });
  });
});
