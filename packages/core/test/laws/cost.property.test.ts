import { fixedWindow, InvalidOptionsError, type Limit, type Question } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../runs";
import { Actor } from "../scenario/actor";
import { catalogueNames, makeLimit } from "../scenario/catalogue";
import { play } from "../scenario/play";
import { scenario } from "../scenario/scenario-arbitrary";
import { standingsOf } from "../scenario/standing";
import { setStage, startsMs } from "../stage";
import { expectAdmitted, expectRejected, factsOf } from "../verdicts";

const startMs = fc.constantFrom(...startsMs);
const requestLimit = fc
  .record({
    name: fc.constantFrom(...catalogueNames.filter((name) => name.endsWith("requests"))),
    max: fc.integer({ min: 1, max: 10 }),
  })
  .map(({ name, max }) => makeLimit(name, 10, { max }));

describe("Law 4, cost:", () => {
  it("a missing requests is 1 and a missing other unit is 0", async () => {
    const { limiter } = setStage();
    const limits = ["requests", "tokens"].map((unit) =>
      fixedWindow({ name: unit, unit, max: 9, windowMs: 1_000 }),
    );
    const used = async (cost?: Question["cost"]) => {
      const descriptors = [{ kind: "key", id: JSON.stringify(cost ?? null), limits }];
      const question = cost === undefined ? { descriptors } : { descriptors, cost };
      return (await limiter.admit(question)).statuses.map((status) => status.used);
    };
    expect(await used()).toEqual([1, 0]);
    expect(await used({})).toEqual([1, 0]);
    expect(await used({ tokens: 5 })).toEqual([1, 5]);
    expect(await used({ requests: 0, tokens: 5 })).toEqual([0, 5]);
    expect(await used({ requests: 3 })).toEqual([3, 0]);
    await limiter.close();
  });

  it("a cost of 0 is admitted exactly while used < max, and leaves no trace", async () => {
    await fc.assert(
      fc.asyncProperty(startMs, requestLimit, fc.nat({ max: 10 }), async (at, limit, filled) => {
        const { limiter, store } = setStage({ startMs: at });
        const ask = (requests: number) => limiter.admit(questionOn(limit, { requests }));
        const cost = Math.min(filled, limit.max);
        if (cost > 0) expectAdmitted(await ask(cost));
        const sizeBefore = store.size;
        const verdict = await ask(0);
        expect(verdict.admitted).toBe(cost < limit.max);
        expect(verdict.statuses[0]?.used).toBe(cost);
        expect(store.size).toBe(sizeBefore);
        await limiter.close();
      }),
      runs(100),
    );
  });

  it("a limit of 0 and a cost above max are refused for ever, and no wait is given", async () => {
    const excess = fc.constantFrom(0, 1, 2, 50);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...catalogueNames), excess, async (name, cost) => {
        const { limiter } = setStage();
        const closed = questionOn(makeLimit(name, 10, { max: 0 }), {
          requests: cost,
          tokens: cost,
        });
        const rejection = expectRejected(await limiter.admit(closed), "cost_exceeds_limit");
        expect(rejection.retryable).toBe(false);
        expect(rejection).not.toHaveProperty("retryAfterMs");
        if (name !== "slots") {
          const small = questionOn(makeLimit(name, 10, { max: 3 }), { requests: 4, tokens: 4 });
          expect(expectRejected(await limiter.admit(small)).reason).toBe("cost_exceeds_limit");
        }
        await limiter.close();
      }),
      runs(50),
    );
  });

  it("is refused as malformed unless it is a non-negative integer of a declared unit", async () => {
    const bad = fc.constantFrom<unknown>(-1, 0.5, Number.NaN, Infinity, -Infinity, "1", null, {});
    const unit = fc.constantFrom("requests", "tokens");
    await fc.assert(
      fc.asyncProperty(bad, unit, requestLimit, async (cost, name, limit) => {
        const { limiter, store } = setStage();
        const question = questionOn(limit, { [name]: cost as number });
        await expect(limiter.admit(question)).rejects.toThrow(InvalidOptionsError);
        await expect(limiter.peek(question)).rejects.toThrow(InvalidOptionsError);
        expect(store.size).toBe(0);
        await limiter.close();
      }),
      runs(40),
    );
    const { limiter } = setStage();
    const limit = fixedWindow({ max: 1, windowMs: 1_000 });
    const undeclared = questionOn(limit, { images: 1 });
    await expect(limiter.admit(undeclared)).rejects.toThrow(InvalidOptionsError);
    expectAdmitted(await limiter.admit(questionOn(limit, { tokens: 1_000_000 })));
    await limiter.close();
  });

  it("peek never writes: a play with peeks everywhere goes like the same play without", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (drawn) => {
        const quiet = await play(drawn);
        const looked = setStage({ startMs: drawn.startMs });
        const actor = new Actor(looked);
        for (const action of quiet.actions) {
          const sizeBefore = looked.store.size;
          await standingsOf(drawn, looked);
          if ("question" in action) await looked.limiter.peek(action.question);
          expect(looked.store.size).toBeLessThanOrEqual(sizeBefore);
          await actor.act(action);
        }
        expect(await standingsOf(drawn, looked)).toEqual(await standingsOf(drawn, quiet.stage));
        await looked.limiter.close();
        await quiet.stage.limiter.close();
      }),
      runs(60),
    );
  });

  it("peek tells the verdict that admit gives at the same instant", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (drawn) => {
        const { actions } = await play(drawn);
        const on = setStage({ startMs: drawn.startMs });
        const actor = new Actor(on);
        for (const action of actions) {
          if (action.do !== "ask") {
            await actor.act(action);
            continue;
          }
          const peeked = await on.limiter.peek(action.question);
          const verdict = await actor.act(action);
          expect(peeked.admitted).toBe(verdict?.admitted);
          if (!peeked.admitted && verdict !== undefined) {
            expect(factsOf(peeked)).toEqual(factsOf(verdict));
          }
        }
        await on.limiter.close();
      }),
      runs(60),
    );
  });
});

function questionOn(limit: Limit, cost: Record<string, number>): Question {
  return { descriptors: [{ kind: "key", id: "k", limits: [limit] }], cost };
}
