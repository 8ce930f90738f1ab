import { anyCost, anyKind, anyLimits, anyPriorityPool, poolClasses } from "@sluice/testing";
import fc from "fast-check";
import { type BareItem, parseList, serializeList } from "structured-headers";
import { describe, expect, it } from "vitest";
import { runs } from "../../test/runs";
import { setStage } from "../../test/stage";
import { InvalidOptionsError } from "../error/invalid-options-error";
import { concurrency } from "../limit/concurrency";
import { fixedWindow } from "../limit/fixed-window";
import type { DescriptorLimit } from "../limit/limit";
import { priorityPool } from "../limit/priority-pool";
import { slidingLog } from "../limit/sliding-log";
import { slidingWindow } from "../limit/sliding-window";
import { tokenBucket } from "../limit/token-bucket";
import { createLimiter } from "../limiter/create-limiter";
import type { LimiterPermit } from "../limiter/permit";
import type { LimitStatus, Rejected, Verdict } from "../verdict/verdict";
import { renderHeaders, renderRejection } from "./render";
import { parseRenderOptions } from "./render-options";

/** One policy as a client with a library for structured fields reads it. */
interface Policy {
  readonly name: string;
  readonly parameters: Readonly<Record<string, BareItem>>;
}

/** Fails unless the field is a list of Strings with parameters, in its canonical form. */
function policiesIn(field: string | undefined): readonly Policy[] {
  if (field === undefined) return [];
  const list = parseList(field);
  expect(serializeList(list)).toBe(field);
  return list.map(([name, parameters]) => {
    if (typeof name !== "string") throw new Error(`expected a String, received ${name}`);
    return { name, parameters: Object.fromEntries(parameters) };
  });
}

const setLimits = anyLimits({ modes: ["enforce", "shadow"], atMost: 6 });
const setPool = anyPriorityPool().map((pool): DescriptorLimit => pool);
const limits = fc.oneof(
  setLimits.map((each): readonly DescriptorLimit[] => each),
  setPool.map((pool) => [pool]),
);
const kinds = fc.oneof(fc.constant("key"), anyKind());
const descriptors = fc.array(fc.record({ kind: kinds, limits }), { minLength: 1, maxLength: 3 });
const steps = fc.array(
  fc.record({
    cost: anyCost({ costMax: 9 }),
    priority: fc.constantFrom(...poolClasses, "default"),
    passMs: fc.oneof(fc.constant(0), fc.nat(40), fc.nat(5_000)),
  }),
  { minLength: 1, maxLength: 12 },
);

/** Random questions to a limiter with random limits, and what it answers. */
async function verdictsOf(
  drawn: readonly { readonly kind: string; readonly limits: readonly DescriptorLimit[] }[],
  asked: readonly { readonly cost: object; readonly priority: string; readonly passMs: number }[],
): Promise<readonly Verdict<LimiterPermit>[]> {
  const { clock, limiter } = setStage({ startMs: 1_764_000_000_123 });
  const questions = drawn.map(({ kind, limits }, place) => ({ kind, id: `k${place}`, limits }));
  const verdicts = [];
  for (const { cost, priority, passMs } of asked) {
    verdicts.push(await limiter.admit({ descriptors: questions, cost: { ...cost }, priority }));
    clock.advance(passMs);
  }
  await limiter.close();
  return verdicts;
}

function isShown({ descriptor, name }: LimitStatus): boolean {
  return descriptor.limits.find((limit) => limit.name === name)?.mode !== "shadow";
}

function windowSeconds({ descriptor, name }: LimitStatus): number | undefined {
  const limit = descriptor.limits.find((each) => each.name === name);
  return limit && "windowMs" in limit ? Math.ceil(limit.windowMs / 1000) : undefined;
}

/** Quota, unit and window of each shown limit, and what is left of it; returns the latter. */
function expectPolicies(
  statuses: readonly LimitStatus[],
  fields: Readonly<Record<string, string>>,
): readonly Policy[] {
  const shown = statuses.filter(isShown);
  const policies = policiesIn(fields["ratelimit-policy"]);
  const states = policiesIn(fields.ratelimit);
  expect(new Set(states.map(({ name }) => name)).size).toBe(states.length);
  // At most 16 are shown, in the order of the question.
  expect(policies).toHaveLength(Math.min(shown.length, 16));
  expect(states.map(({ name }) => name)).toEqual(policies.map(({ name }) => name));
  if (shown.length > 16) return states;
  for (const [place, status] of shown.entries()) {
    const { unit, max, remaining, retryAfterMs, resetAfterMs } = status;
    const qu = unit === "slots" ? "concurrent-requests" : unit;
    const w = windowSeconds(status);
    expect(policies[place]?.parameters).toEqual({
      q: max,
      ...(qu !== "requests" && { qu }),
      ...(w !== undefined && { w }),
    });
    const t = Math.ceil((retryAfterMs ?? resetAfterMs) / 1000);
    const hasTime = unit !== "slots" && (status.admitted || retryAfterMs !== undefined);
    expect(states[place]?.parameters).toEqual({ r: remaining, ...(hasTime && { t }) });
  }
  return states;
}

/** Retry-After, the body, and the `t` of exhausted policies say the same wait. */
function expectOneWait(rejected: Rejected): void {
  const answer = renderRejection(rejected);
  if (answer === null) throw new Error("expected an answer");
  const { reason, violated, retryable } = rejected.rejection;
  const states = expectPolicies(rejected.statuses, answer.headers);
  const problem = JSON.parse(answer.body);
  const refusing = rejected.statuses.filter((status) => isShown(status) && !status.admitted);
  expect(violated).toEqual(refusing);
  const names: readonly string[] = problem["violated-policies"];
  expect(names).toHaveLength(violated.length);
  expect(problem.type).toBe("https://iana.org/assignments/http-problem-types#quota-exceeded");
  expect(problem.status).toBe(429);
  const waits = states.filter(({ name }) => names.includes(name));
  if (states.length < 16) expect(waits.map(({ name }) => name)).toEqual(names);
  const seconds = answer.headers["retry-after"];
  if (!retryable) {
    expect(reason).toBe("cost_exceeds_limit");
    expect([seconds, problem.retryAfterMs]).toEqual([undefined, undefined]);
    return;
  }
  expect(problem.retryAfterMs).toBeGreaterThan(0);
  expect(seconds).toBe(String(Math.ceil(problem.retryAfterMs / 1000)));
  // A hint is the wait of no policy: slots have none, and some refusals of pools.
  const told = waits.flatMap(({ parameters: { t } }) => (t === undefined ? [] : [Number(t)]));
  if (told.length > 0) expect(Number(seconds)).toBe(Math.max(...told));
  else expect(violated.every(({ retryAfterMs }) => retryAfterMs === undefined)).toBe(true);
}

describe("header fields of random verdicts, read by a library for structured fields", () => {
  it("are lists of named policies that say what the statuses say", async () => {
    const reasons = new Set<string>();
    await fc.assert(
      fc.asyncProperty(descriptors, steps, async (drawn, asked) => {
        for (const verdict of await verdictsOf(drawn, asked)) {
          if (verdict.admitted) expectPolicies(verdict.statuses, renderHeaders(verdict.statuses));
          else {
            reasons.add(verdict.rejection.reason);
            expectOneWait(verdict);
          }
        }
      }),
      // Enough for every reason to occur.
      { numRuns: Math.max(150, runs(300).numRuns) },
    );
    expect([...reasons].sort()).toEqual([
      "concurrency_exhausted",
      "cost_exceeds_limit",
      "share_exhausted",
      "window_exhausted",
    ]);
  });
});

/** Text that a structured String cannot carry as it is, or not at all. */
const unfit = fc
  .tuple(
    fc.stringMatching(/^[a-z]{0,5}$/),
    fc.oneof(
      fc.constantFrom('"', "\\", "\n", "\u0000", "\u007f", "é", "限", "🚦", ","),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }).filter((c) => !/[\w.-]/.test(c)),
    ),
    fc.stringMatching(/^[a-z]{0,5}$/),
  )
  .map((parts) => parts.join(""));

describe("texts that would travel in header fields", () => {
  const windowMs = 60_000;
  const shares = { a: 0.5 };
  const constructors: Readonly<Record<string, (text: string) => unknown>> = {
    "names of fixed windows": (name) => fixedWindow({ name, max: 1, windowMs }),
    "names of sliding windows": (name) => slidingWindow({ name, max: 1, windowMs }),
    "names of sliding logs": (name) => slidingLog({ name, max: 1, windowMs }),
    "names of token buckets": (name) => tokenBucket({ name, capacity: 1, refill: 1, perMs: 1 }),
    "names of slots": (name) => concurrency({ name, max: 1 }),
    "names of pools": (name) => priorityPool({ name, windowMs, capacity: { requests: 9 }, shares }),
    "classes of pools": (name) =>
      priorityPool({ windowMs, capacity: { requests: 9 }, shares: { [name]: 0.5 } }),
    units: (unit) => fixedWindow({ unit, max: 1, windowMs }),
    "units of a limiter": (unit) => createLimiter({ units: ["requests", unit] }),
    "the name for slots": (slotsHeaderName) => parseRenderOptions({ slotsHeaderName }),
    "the name for the class": (priorityHeaderName) => parseRenderOptions({ priorityHeaderName }),
  };

  for (const [what, construct] of Object.entries(constructors)) {
    it(`${what}: with quotes or beyond ASCII they are refused at construction`, () => {
      expect(() => construct("x-plain")).not.toThrow();
      fc.assert(
        fc.property(unfit, (text) => {
          expect(() => construct(text)).toThrow(InvalidOptionsError);
        }),
        runs(100),
      );
    });
  }
});
