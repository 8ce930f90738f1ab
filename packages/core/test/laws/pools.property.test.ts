import { fixedWindow, type Question } from "@sluice/core";
import { anyPriorityPool, poolClasses } from "@sluice/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../runs";
import { setStage } from "../stage";
import { expectAdmitted, expectRejected, factsOf } from "../verdicts";

const anyAsk = fc.record({
  priority: fc.constantFrom(...poolClasses, "nobody"),
  requests: fc.oneof(fc.constant(1), fc.nat({ max: 12 })),
  tokens: fc.nat({ max: 12 }),
  afterMs: fc.oneof(fc.constant(0), fc.nat({ max: 9 })),
});

const anyAsks = fc.array(anyAsk, { minLength: 2, maxLength: 20, size: "max" });

describe("Law 3, exact wait: a question that a pool refuses", () => {
  it("is rejected one millisecond before retryAfterMs and admitted at it", async () => {
    await fc.assert(
      fc.asyncProperty(anyPriorityPool({ size: "small" }), anyAsks, async (pool, asks) => {
        const { clock, limiter } = setStage();
        const { limiter: untouched } = setStage();
        const units = Object.keys(pool.capacity).length;
        for (const { priority, requests, tokens, afterMs } of asks) {
          clock.advance(afterMs);
          const descriptors = [{ kind: "model", id: "m", limits: [pool] }];
          const question = { descriptors, priority, cost: { requests, tokens } };
          // One unit may wait for the next window, and another one pass there only later.
          if (units > 1 && !(await untouched.peek(question)).admitted) continue;
          const verdict = await limiter.admit(question);
          if (verdict.admitted) continue;
          const { retryAfterMs, violated, retryable, reason } = verdict.rejection;
          expect(reason === "cost_exceeds_limit").toBe(!retryable);
          // A wait that is not known is a hint, of the rejection and of no check.
          if (violated.some((status) => status.retryAfterMs === undefined)) continue;
          const waitMs = retryAfterMs as number;
          clock.advance(waitMs - 1);
          expect(expectRejected(await limiter.admit(question)).retryAfterMs).toBe(1);
          clock.advance(1);
          expectAdmitted(await limiter.admit(question));
        }
        await untouched.close();
        await limiter.close();
      }),
      runs(150),
    );
  });
});

describe("Law 9, order independence: a pool", () => {
  it("says and charges the same before and after another limit", async () => {
    const other = fixedWindow({ name: "other", max: 9, windowMs: 30 });
    await fc.assert(
      fc.asyncProperty(anyPriorityPool({ size: "small" }), anyAsks, async (pool, asks) => {
        fc.pre(pool.name !== other.name);
        const [first, second] = [setStage(), setStage()];
        for (const { priority, requests, tokens, afterMs } of asks) {
          const ask = (limits: Question["descriptors"][number]["limits"]) => {
            const descriptors = [{ kind: "model", id: "m", limits }];
            return { descriptors, priority, cost: { requests, tokens } };
          };
          for (const { clock } of [first, second]) clock.advance(afterMs);
          const one = await first.limiter.admit(ask([pool, other]));
          const two = await second.limiter.admit(ask([other, pool]));
          expect(one.admitted).toBe(two.admitted);
          const rows = ({ statuses }: typeof one) =>
            statuses
              .map(({ descriptor: _, ...row }) => row)
              .sort((a, b) => (a.name + a.unit < b.name + b.unit ? -1 : 1));
          expect(rows(one)).toEqual(rows(two));
        }
        for (const { limiter } of [first, second]) await limiter.close();
      }),
      runs(60),
    );
  });
});

describe("Law 2, a rejection costs nothing: what a pool refuses", () => {
  it("is refused in the same words when it is asked again", async () => {
    await fc.assert(
      fc.asyncProperty(anyPriorityPool({ size: "small" }), anyAsks, async (pool, asks) => {
        const { clock, limiter } = setStage();
        const descriptors = [{ kind: "model", id: "m", limits: [pool] }];
        for (const { priority, requests, tokens, afterMs } of asks) {
          clock.advance(afterMs);
          const question = { descriptors, priority, cost: { requests, tokens } };
          const looked = await limiter.peek(question);
          const verdict = await limiter.admit(question);
          expect(looked.admitted).toBe(verdict.admitted);
          if (verdict.admitted) continue;
          const isExact = verdict.rejection.violated.every(
            (each) => each.retryAfterMs !== undefined,
          );
          if (!isExact) continue;
          expect(factsOf(looked)).toEqual(factsOf(verdict));
          expect(factsOf(await limiter.admit(question))).toEqual(factsOf(verdict));
        }
        await limiter.close();
      }),
      runs(60),
    );
  });
});
