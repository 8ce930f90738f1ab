import { describe, expect, it } from "vitest";
import { standing } from "../../../test/http/rejections";
import { concurrency } from "../../limit/concurrency";
import { fixedWindow } from "../../limit/fixed-window";
import { slidingLog } from "../../limit/sliding-log";
import { slidingWindow } from "../../limit/sliding-window";
import { tokenBucket } from "../../limit/token-bucket";
import type { LimitStatus } from "../../verdict/verdict";
import { renderHeaders } from "../render";

const ietf = (statuses: readonly LimitStatus[]) => renderHeaders(statuses, { headers: "ietf" });
const window = (max: number, windowMs: number, name: string) =>
  fixedWindow({ max, windowMs, name });

describe("the ietf preset", () => {
  it("E-4: shows policy and state of a window", () => {
    const limit = window(5, 7_200_000, "5-in-2hrs");
    expect(ietf([standing(limit, { used: 1, resetAfterMs: 7_200_000 })])).toEqual({
      "ratelimit-policy": '"5-in-2hrs";q=5;w=7200',
      ratelimit: '"5-in-2hrs";r=4;t=7200',
    });
  });

  it("E-5: shows stacked limits in the order of the question", () => {
    const stack: readonly (readonly [number, number, string])[] = [
      [1, 5, "1-in-5sec"],
      [5, 60, "5-in-1min"],
      [6, 3600, "6-in-1hr"],
      [7, 86_400, "7-in-1day"],
      [8, 172_800, "8-in-2days"],
    ];
    const headers = ietf(
      stack.map(([max, seconds, name]) =>
        standing(window(max, seconds * 1000, name), { used: 1, resetAfterMs: seconds * 1000 }),
      ),
    );
    expect(headers["ratelimit-policy"]).toBe(
      '"1-in-5sec";q=1;w=5, "5-in-1min";q=5;w=60, "6-in-1hr";q=6;w=3600, ' +
        '"7-in-1day";q=7;w=86400, "8-in-2days";q=8;w=172800',
    );
    expect(headers.ratelimit).toBe(
      '"1-in-5sec";r=0;t=5, "5-in-1min";r=4;t=60, "6-in-1hr";r=5;t=3600, ' +
        '"7-in-1day";r=6;t=86400, "8-in-2days";r=7;t=172800',
    );
  });

  it("names a unit other than requests", () => {
    const limit = fixedWindow({ unit: "tokens", max: 90_000, windowMs: 60_000, name: "tpm" });
    expect(ietf([standing(limit)])["ratelimit-policy"]).toBe('"tpm";q=90000;qu="tokens";w=60');
  });

  it("shows slots as concurrent requests, without window and time", () => {
    const limit = concurrency({ max: 5, name: "parallel" });
    expect(ietf([standing(limit, { used: 2 })])).toEqual({
      "ratelimit-policy": '"parallel";q=5;qu="concurrent-requests"',
      ratelimit: '"parallel";r=3',
    });
  });

  it("gives a window only to limits that have one", () => {
    const statuses = [
      standing(slidingWindow({ max: 10, windowMs: 60_000, name: "sliding" })),
      standing(slidingLog({ max: 10, windowMs: 30_000, name: "log" })),
      standing(tokenBucket({ capacity: 10, refill: 1, perMs: 1000, name: "bucket" })),
    ];
    expect(ietf(statuses)["ratelimit-policy"]).toBe(
      '"sliding";q=10;w=60, "log";q=10;w=30, "bucket";q=10',
    );
  });

  it("announces a window of less than a second as one second", () => {
    expect(ietf([standing(window(5, 50, "tiny"))])["ratelimit-policy"]).toBe('"tiny";q=5;w=1');
  });

  it("E-11, R051: says t=0 and r=0 instead of leaving them out", () => {
    const limit = window(1, 60_000, "a");
    expect(ietf([standing(limit, { used: 1, resetAfterMs: 0 })]).ratelimit).toBe('"a";r=0;t=0');
    expect(ietf([standing(window(0, 60_000, "b"))]).ratelimit).toBe('"b";r=0;t=0');
  });

  it("gives a violated policy its own wait, rounded up", () => {
    const facts = { used: 5, admitted: false, resetAfterMs: 90_000, retryAfterMs: 1499 };
    expect(ietf([standing(window(5, 60_000, "a"), facts)]).ratelimit).toBe('"a";r=0;t=2');
  });

  it("leaves the fields out when nothing can be shown", () => {
    expect(ietf([])).toEqual({});
    expect(ietf([standing(window(5, 60_000, "a"), { source: "policy" })])).toEqual({});
  });

  it("cuts a number to the 15 digits of a structured integer", () => {
    const limit = window(Number.MAX_SAFE_INTEGER, 60_000, "vast");
    expect(ietf([standing(limit)])).toEqual({
      "ratelimit-policy": '"vast";q=999999999999999;w=60',
      ratelimit: '"vast";r=999999999999999;t=0',
    });
  });

  it("escapes what no limit of ours can be called", () => {
    const odd = { ...window(5, 60_000, "a"), name: 'qu"o\\te\r\nü' };
    expect(ietf([standing(odd)]).ratelimit).toBe('"qu\\"o\\\\te???";r=5;t=0');
  });
});
