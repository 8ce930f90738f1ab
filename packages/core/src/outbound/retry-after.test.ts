import { describe, expect, it } from "vitest";
import { httpDateMs, retryAfterOf } from "./retry-after";

const nowMs = Date.UTC(2026, 10, 30, 12, 0, 0);
const of = (fields: Record<string, string>) => retryAfterOf(new Headers(fields), nowMs);

describe("R084: what an upstream asks to wait", () => {
  it.each([
    ["1", 1000],
    ["59", 59_000],
    ["60", 60_000],
    ["600", 600_000],
    ["0", 0],
    [" 2 ", 2000],
    ["0.5", 500],
    ["Mon, 30 Nov 2026 12:00:30 GMT", 30_000],
    ["Mon, 30 Nov 2026 11:00:00 GMT", 0],
    ["Monday, 30-Nov-26 12:00:30 GMT", 30_000],
    ["Mon Nov 30 12:00:30 2026", 30_000],
  ])("Retry-After: %s is %d ms", (value, waitMs) => {
    expect(of({ "retry-after": value })).toBe(waitMs);
  });

  it.each(["", "soon", "-5", "1e9", "0x10", "NaN", "Infinity", "Mon, 30 Foo 2026 12:00:30 GMT"])(
    "Retry-After: %j says nothing",
    (value) => {
      expect(of({ "retry-after": value })).toBeUndefined();
    },
  );

  it("is absent when it is not said", () => {
    expect(of({})).toBeUndefined();
  });

  it("is the exact retry-after-ms, if there is a sound one", () => {
    expect(of({ "retry-after-ms": "250", "retry-after": "1" })).toBe(250);
    expect(of({ "retry-after-ms": "250.2" })).toBe(251);
    expect(of({ "retry-after-ms": "-1", "retry-after": "1" })).toBe(1000);
  });

  it("as a date is measured from the answer's own date, whatever the clock here shows", () => {
    const date = "Fri, 01 Jan 2021 00:00:00 GMT";
    expect(of({ date, "retry-after": "Fri, 01 Jan 2021 00:00:20 GMT" })).toBe(20_000);
  });
});

describe("httpDateMs", () => {
  it("reads the example of RFC 9110 in its three forms", () => {
    const atMs = Date.UTC(1994, 10, 6, 8, 49, 37);
    expect(httpDateMs("Sun, 06 Nov 1994 08:49:37 GMT", nowMs)).toBe(atMs);
    expect(httpDateMs("Sunday, 06-Nov-94 08:49:37 GMT", nowMs)).toBe(atMs);
    expect(httpDateMs("Sun Nov  6 08:49:37 1994", nowMs)).toBe(atMs);
  });
});
