import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rejectedFor } from "../../test/http/rejections";
import { concurrency } from "../limit/concurrency";
import { fixedWindow } from "../limit/fixed-window";
import type { Limit } from "../limit/limit";
import { tokenBucket } from "../limit/token-bucket";
import { reasonOrder } from "../verdict/reason";
import type { LimitStatus } from "../verdict/verdict";
import type { HeaderPreset } from "./preset/presets";
import { renderHeaders, renderRejection } from "./render";

// RFC 9110: field names are tokens (in lower case, as HTTP/2 wants them), values visible ASCII.
const fieldName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const fieldValue = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;
// RFC 9651: a String, an Integer of at most 15 digits, parameters, and a list of such items.
const string = '"(?:[\\x20-\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\])*"';
const item = `${string}(?:;[a-z]+=(?:\\d{1,15}|${string}))*`;
const list = new RegExp(`^${item}(?:, ${item})*$`);

const name = fc.stringMatching(/^[A-Za-z0-9_.-]{1,64}$/);
const kind = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/);
const max = fc.oneof(fc.nat(100), fc.maxSafeNat());
const durationMs = fc.integer({ min: 1, max: 3_155_760_000_000 });
const unit = fc.constantFrom("requests", "tokens", "input-tokens", "x");

const limit: fc.Arbitrary<Limit> = fc.oneof(
  fc.record({ name, unit, max, windowMs: durationMs }).map((options) => fixedWindow(options)),
  fc.record({ name, max: fc.nat(100_000) }).map((options) => concurrency(options)),
  fc
    .record({ name, unit, capacity: fc.integer({ min: 1, max: 1000 }) })
    .map((options) => tokenBucket({ ...options, refill: 1, perMs: 1000 })),
);

const status: fc.Arbitrary<LimitStatus> = fc
  .record({
    limit,
    kind,
    id: fc.string({ minLength: 1 }),
    used: fc.maxSafeNat(),
    resetAfterMs: fc.nat(),
    retryAfterMs: fc.option(durationMs, { nil: undefined }),
    admitted: fc.boolean(),
    source: fc.constantFrom("store" as const, "local" as const, "policy" as const),
  })
  .map(({ limit, kind, id, used, retryAfterMs, ...facts }) => ({
    ...facts,
    descriptor: { kind, id, limits: [limit] },
    name: limit.name,
    unit: limit.unit,
    max: limit.max,
    used,
    remaining: Math.max(0, limit.max - used),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }));

const statuses = fc.array(status, { maxLength: 40 });
const rejected = fc
  .record({
    reason: fc.constantFrom(...reasonOrder),
    statuses,
    retryAfterMs: fc.option(fc.oneof(durationMs, fc.double()), { nil: undefined }),
    retryable: fc.boolean(),
  })
  .map(({ reason, statuses, retryAfterMs, retryable }) =>
    rejectedFor(reason, statuses, {
      retryable,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    }),
  );

const some: readonly HeaderPreset[] = ["ietf", "legacy", "descriptor", "ai"];
const headers = fc.oneof(
  fc.constantFrom<HeaderPreset>(...some, "none"),
  fc.shuffledSubarray([...some], { minLength: 1 }),
);

function expectValid(fields: Readonly<Record<string, string>>): void {
  for (const [field, value] of Object.entries(fields)) {
    expect(field).toMatch(fieldName);
    expect(value).toMatch(fieldValue);
  }
  for (const field of ["ratelimit", "ratelimit-policy"]) {
    if (field in fields) expect(fields[field]).toMatch(list);
  }
}

describe("rendered header fields", () => {
  it("are valid for any statuses and presets", () => {
    fc.assert(
      fc.property(statuses, headers, (statuses, headers) => {
        expectValid(renderHeaders(statuses, { headers }));
      }),
    );
  });

  it("are valid on any rejection, with a Retry-After that is whole, at least 1, and not too early", () => {
    fc.assert(
      fc.property(rejected, headers, (rejected, headers) => {
        const answer = renderRejection(rejected, { headers });
        if (answer === null) return;
        expectValid(answer.headers);
        expect(() => JSON.parse(answer.body)).not.toThrow();
        const seconds = answer.headers["retry-after"];
        if (seconds === undefined) return;
        expect(seconds).toMatch(/^[1-9]\d*$/);
        const { retryAfterMs = 0 } = rejected.rejection;
        if (retryAfterMs < 1e15)
          expect(Number(seconds) * 1000).toBeGreaterThanOrEqual(retryAfterMs);
      }),
    );
  });

  it("never speak of a limit whose state is unknown", () => {
    fc.assert(
      fc.property(statuses, headers, (statuses, headers) => {
        const unknown = statuses.map((each) => ({ ...each, source: "policy" as const }));
        expect(renderHeaders(unknown, { headers })).toEqual({});
      }),
    );
  });

  it("never show an id", () => {
    const secret = "SECRET-ID-0123456789-abcdefghijklmnopqrstuvwxyz-0123456789-abcdefghijklm";
    fc.assert(
      fc.property(rejected, headers, (rejected, headers) => {
        const hide = (each: LimitStatus) => ({
          ...each,
          descriptor: { ...each.descriptor, id: secret },
        });
        const { reason, retryable } = rejected.rejection;
        const hidden = rejectedFor(reason, rejected.statuses.map(hide), { retryable });
        const answer = renderRejection(hidden, { headers, body: "openai" });
        expect(JSON.stringify(answer)).not.toContain(secret);
      }),
    );
  });

  it("name every policy once, and fit half into what clients accept", () => {
    fc.assert(
      fc.property(statuses, (statuses) => {
        const fields = renderHeaders(statuses, { headers: "ietf" });
        const policies = fields.ratelimit?.match(/"[^"]*"(?=;r)/g) ?? [];
        expect(new Set(policies).size).toBe(policies.length);
        expect(JSON.stringify(fields).length).toBeLessThan(8192);
      }),
    );
  });
});
