import { describe, expect, it } from "vitest";
import { gateRejected, rejectedFor, standing } from "../../test/http/rejections";
import { InvalidOptionsError } from "../error/invalid-options-error";
import { concurrency } from "../limit/concurrency";
import { fixedWindow } from "../limit/fixed-window";
import { renderHeaders, renderRejection } from "./render";
import { parseRenderOptions } from "./render-options";

const hourly = fixedWindow({ max: 1, windowMs: 60_000, name: "hourly" });
const full = standing(hourly, {
  used: 1,
  admitted: false,
  resetAfterMs: 60_000,
  retryAfterMs: 60_000,
});
const exhausted = rejectedFor("window_exhausted", [full], { retryAfterMs: 60_000 });
const bodyOf = (rejected: Parameters<typeof renderRejection>[0]) =>
  JSON.parse(renderRejection(rejected)?.body ?? "null");

describe("a rendered rejection", () => {
  it("E-8: is 429 with Retry-After, the default headers and a problem document", () => {
    const answer = renderRejection(exhausted);
    expect(answer?.status).toBe(429);
    expect(answer?.headers).toEqual({
      "content-type": "application/problem+json",
      "retry-after": "60",
      "ratelimit-policy": '"hourly";q=1;w=60',
      ratelimit: '"hourly";r=0;t=60',
    });
    expect(JSON.parse(answer?.body ?? "")).toEqual({
      type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
      title: "Quota exceeded",
      status: 429,
      detail:
        'Rate limit reached for api_key: limit "hourly" allows 1 requests, 0 remaining. ' +
        "Retry in 60 s.",
      reason: "window_exhausted",
      "violated-policies": ["hourly"],
      retryAfterMs: 60_000,
    });
  });

  it("R054: keeps Retry-After with every preset and with none", () => {
    for (const headers of ["ietf", "legacy", "descriptor", "ai", "none"] as const) {
      expect(renderRejection(exhausted, { headers })?.headers["retry-after"]).toBe("60");
    }
    expect(renderRejection(exhausted, { headers: "none" })?.headers).toEqual({
      "content-type": "application/problem+json",
      "retry-after": "60",
    });
  });

  it("combines presets", () => {
    const headers = renderRejection(exhausted, { headers: ["legacy", "ai", "ietf"] })?.headers;
    expect(headers).toMatchObject({
      ratelimit: '"hourly";r=0;t=60',
      "x-ratelimit-remaining": "0",
      "x-ratelimit-remaining-requests": "0",
      "retry-after-ms": "60000",
    });
  });

  it("announces the largest of several waits", () => {
    const statuses = [
      standing(hourly, { admitted: false, used: 1, retryAfterMs: 1500 }),
      standing({ ...hourly, name: "other" }, { admitted: false, used: 1, retryAfterMs: 7001 }),
    ];
    const rejected = rejectedFor("window_exhausted", statuses, { retryAfterMs: 7001 });
    const headers = renderRejection(rejected)?.headers;
    expect(headers?.ratelimit).toBe('"hourly";r=0;t=2, "other";r=0;t=8');
    expect(headers?.["retry-after"]).toBe("8");
  });

  it("is null when nobody is there to answer", () => {
    expect(renderRejection(gateRejected("aborted"))).toBeNull();
    expect(renderRejection(rejectedFor("aborted", []))).toBeNull();
    expect(renderRejection(rejectedFor("paused", [], { retryAfterMs: 5 }))).toBeNull();
  });

  it("says of a gate that capacity is reduced, without inventing limits", () => {
    expect(renderRejection(gateRejected("queue_timeout"))?.headers).toEqual({
      "content-type": "application/problem+json",
      "retry-after": "1",
    });
    expect(bodyOf(gateRejected("queue_timeout"))).toEqual({
      type: "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",
      title: "Temporarily reduced capacity",
      status: 503,
      detail: "Worker at capacity: 1 in-flight, 1 queued requests. Retry later.",
      reason: "queue_timeout",
      retryAfterMs: 1000,
    });
  });

  it("R056: tells a store that cannot be asked from a limit that is full", () => {
    const unknown = standing(hourly, { admitted: false, source: "policy" });
    const rejected = rejectedFor("store_unavailable", [unknown], { retryAfterMs: 1500 });
    const answer = renderRejection(rejected, { headers: ["ietf", "legacy", "descriptor", "ai"] });
    expect(answer?.status).toBe(503);
    expect(answer?.headers).toEqual({
      "content-type": "application/problem+json",
      "retry-after": "2",
      "retry-after-ms": "1500",
    });
    expect(bodyOf(rejected)).toMatchObject({
      detail: "Rate limits cannot be checked right now. Retry later.",
      reason: "store_unavailable",
    });
  });

  it("gives no wait to a cost that can never pass", () => {
    const tokens = fixedWindow({ unit: "tokens", max: 100, windowMs: 1000, name: "tpm" });
    const statuses = [standing(tokens, { admitted: false })];
    const rejected = rejectedFor("cost_exceeds_limit", statuses, { retryable: false });
    const answer = renderRejection(rejected, { costExceedsLimitStatus: 413 });
    expect(answer?.status).toBe(413);
    expect(answer?.headers).not.toHaveProperty("retry-after");
    expect(JSON.parse(answer?.body ?? "")).not.toHaveProperty("retryAfterMs");
    expect(bodyOf(rejected).detail).toBe(
      'Rate limit reached for api_key: limit "tpm" allows 100 tokens, 100 remaining. ' +
        "This request can never pass.",
    );
  });

  it("is the degraded answer that the gate's owner approved", () => {
    const degraded = { status: 200, headers: { "Content-Type": "text/plain" }, body: "cached" };
    expect(renderRejection(gateRejected("queue_full", { degraded }))).toBe(degraded);
  });

  it.each([
    ["no answer", "cached"],
    ["no status", { headers: {}, body: "" }],
    ["an impossible status", { status: 99, headers: {}, body: "" }],
    ["no field name", { status: 200, headers: { "a ge": "1" }, body: "" }],
    ["a field value with a line break", { status: 200, headers: { age: "1\r\nx: y" }, body: "" }],
  ])("is an ordinary rejection if the degraded value has %s", (_, degraded) => {
    expect(renderRejection(gateRejected("queue_full", { degraded }))?.status).toBe(503);
  });
});

describe("a rejection in OpenAI's shape", () => {
  const openai = (rejected: Parameters<typeof renderRejection>[0], gateStatus: 503 | 429 = 503) => {
    const answer = renderRejection(rejected, { body: "openai", gateStatus });
    expect(answer?.headers["content-type"]).toBe("application/json");
    return answer?.body;
  };

  it("has the exact text of an overloaded worker", () => {
    expect(openai(gateRejected("queue_full", { inFlight: 2, queued: 1 }))).toBe(
      '{"error":{"message":"Worker at capacity: 2 in-flight, 1 queued requests. Retry later.",' +
        '"type":"overloaded_error","code":"503"}}',
    );
  });

  it("names kind, limit, numbers and wait of a full limit", () => {
    expect(JSON.parse(openai(exhausted) ?? "")).toEqual({
      error: {
        message:
          'Rate limit reached for api_key: limit "hourly" allows 1 requests, 0 remaining. ' +
          "Retry in 60 s.",
        type: "rate_limit_error",
        code: "429",
      },
    });
  });

  it("speaks of slots as concurrent requests", () => {
    const limit = concurrency({ max: 5, name: "parallel" });
    const rejected = rejectedFor(
      "concurrency_exhausted",
      [standing(limit, { used: 5, admitted: false })],
      { retryAfterMs: 1042 },
    );
    expect(JSON.parse(openai(rejected) ?? "").error.message).toBe(
      'Rate limit reached for api_key: limit "parallel" allows 5 concurrent requests, ' +
        "0 remaining. Retry in 1.042 s.",
    );
  });

  it("carries the status that is sent", () => {
    expect(JSON.parse(openai(gateRejected("queue_full"), 429) ?? "").error.code).toBe("429");
  });

  it("says that a worker is leaving, and that a store is away", () => {
    expect(JSON.parse(openai(gateRejected("draining")) ?? "").error).toEqual({
      message: "Worker is shutting down. Retry later.",
      type: "overloaded_error",
      code: "503",
    });
    expect(JSON.parse(openai(rejectedFor("store_unavailable", [])) ?? "").error).toEqual({
      message: "Rate limits cannot be checked right now. Retry later.",
      type: "server_error",
      code: "503",
    });
  });
});

describe("an own body", () => {
  it("E-17: is sent as it is, and sees verdict and status", () => {
    const answer = renderRejection(exhausted, {
      body: ({ rejection }, status) => ({
        contentType: "text/plain; charset=utf-8",
        text: `${status} ${rejection.reason}`,
      }),
    });
    expect(answer?.body).toBe("429 window_exhausted");
    expect(answer?.headers["content-type"]).toBe("text/plain; charset=utf-8");
  });

  it("is refused if it would make an invalid answer", () => {
    const body = () => ({ contentType: "text/plain\r\nx: y", text: 5 }) as never;
    expect(() => renderRejection(exhausted, { body })).toThrow(InvalidOptionsError);
    expect(() => renderRejection(exhausted, { body: () => undefined as never })).toThrow(
      /contentType.*text/s,
    );
  });
});

describe("headers of an admitted answer", () => {
  it("E-22: carry limit and remaining and no Retry-After", () => {
    const statuses = [standing(hourly, { used: 1, resetAfterMs: 60_000 })];
    expect(renderHeaders(statuses)).toEqual({
      "ratelimit-policy": '"hourly";q=1;w=60',
      ratelimit: '"hourly";r=0;t=60',
    });
    expect(renderHeaders(statuses, { headers: "ai" })).not.toHaveProperty("retry-after-ms");
  });

  it("E-7, L61: are none without a preset or without limits", () => {
    expect(renderHeaders([full], { headers: "none" })).toEqual({});
    expect(renderHeaders([], parseRenderOptions({ headers: ["ietf", "ai"] }))).toEqual({});
  });
});
