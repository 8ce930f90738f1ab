import { describe, expect, it } from "vitest";
import { standing } from "../../../test/http/rejections";
import { concurrency } from "../../limit/concurrency";
import { fixedWindow } from "../../limit/fixed-window";
import { renderHeaders } from "../render";

const rpm = fixedWindow({ max: 100, windowMs: 60_000, name: "rpm" });
const tpm = fixedWindow({ unit: "tokens", max: 10_000, windowMs: 60_000, name: "tpm" });
const parallel = concurrency({ max: 5 });

describe("the descriptor preset", () => {
  it("L59: names kind and unit of each limit", () => {
    const statuses = [standing(rpm, { used: 1 }), standing(tpm, { used: 250 })];
    expect(renderHeaders(statuses, { headers: "descriptor" })).toEqual({
      "x-ratelimit-api_key-limit-requests": "100",
      "x-ratelimit-api_key-remaining-requests": "99",
      "x-ratelimit-api_key-limit-tokens": "10000",
      "x-ratelimit-api_key-remaining-tokens": "9750",
    });
  });

  it("L60: keeps kinds apart", () => {
    const headers = renderHeaders(
      [standing(rpm, { used: 7 }), standing(rpm, { kind: "model_per_key", used: 1 })],
      { headers: "descriptor" },
    );
    expect(headers["x-ratelimit-api_key-remaining-requests"]).toBe("93");
    expect(headers["x-ratelimit-model_per_key-remaining-requests"]).toBe("99");
  });

  it("calls slots as it is told to", () => {
    const statuses = [standing(parallel, { used: 5 })];
    expect(renderHeaders(statuses, { headers: "descriptor" })).toEqual({
      "x-ratelimit-api_key-limit-slots": "5",
      "x-ratelimit-api_key-remaining-slots": "0",
    });
    const options = { headers: "descriptor", slotsHeaderName: "max_parallel_requests" } as const;
    expect(renderHeaders(statuses, options)).toEqual({
      "x-ratelimit-api_key-limit-max_parallel_requests": "5",
      "x-ratelimit-api_key-remaining-max_parallel_requests": "0",
    });
  });

  it("shows the tightest of several limits of one kind and unit, whatever their order", () => {
    const perDay = fixedWindow({ max: 1000, windowMs: 86_400_000, name: "per-day" });
    const statuses = [standing(rpm, { used: 10 }), standing(perDay, { used: 950 })];
    for (const order of [statuses, statuses.toReversed()]) {
      expect(renderHeaders(order, { headers: "descriptor" })).toEqual({
        "x-ratelimit-api_key-limit-requests": "1000",
        "x-ratelimit-api_key-remaining-requests": "50",
      });
    }
  });

  it("takes a violated limit for tighter than one that passes", () => {
    const statuses = [
      standing(tpm, { used: 9990 }),
      standing({ ...tpm, max: 20_000 }, { used: 19_000, admitted: false, retryAfterMs: 500 }),
    ];
    const headers = renderHeaders(statuses, { headers: "descriptor" });
    expect(headers["x-ratelimit-api_key-limit-tokens"]).toBe("20000");
  });

  it("writes field names in lower case, as HTTP/2 demands", () => {
    const headers = renderHeaders([standing(rpm, { kind: "ApiKey" })], { headers: "descriptor" });
    expect(Object.keys(headers)).toEqual([
      "x-ratelimit-apikey-limit-requests",
      "x-ratelimit-apikey-remaining-requests",
    ]);
  });
});
