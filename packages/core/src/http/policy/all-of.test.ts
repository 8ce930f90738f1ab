import { fixedWindow, InvalidOptionsError, type Policy, type Question } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { setStage } from "../../../test/stage";
import { expectAdmitted, expectRejected } from "../../../test/verdicts";
import { allOf } from "./all-of";
import { limitBy } from "./limit-by";
import { unlimited } from "./unless";

const request = { headers: {}, socket: {} };
const limits = [fixedWindow({ max: 2, windowMs: 60_000 })];
const says = (kind: string, more: Partial<Question> = {}): Policy<unknown> => {
  return () => ({ descriptors: [{ kind, id: "x", limits }], ...more });
};
const kindsOf = (question: Question | null) => question?.descriptors.map(({ kind }) => kind);

describe("allOf", () => {
  it("is one question about all descriptors, in order", async () => {
    expect(kindsOf(await allOf(says("a"), says("b"), says("c"))(request))).toEqual(["a", "b", "c"]);
  });

  it("leaves out policies without limits, and has none if none has", async () => {
    expect(kindsOf(await allOf(unlimited, says("b"))(request))).toEqual(["b"]);
    expect(await allOf(unlimited, unlimited)(request)).toBeNull();
  });

  it("waits for policies that have to", async () => {
    const slow = async () => says("slow")(request);
    expect(kindsOf(await allOf(says("a"), slow)(request))).toEqual(["a", "slow"]);
    const failing = () => Promise.reject(new Error("no session"));
    await expect(async () => allOf(says("a"), failing)(request)).rejects.toThrow("no session");
  });

  it("leaves no rejection unhandled where another policy throws", async () => {
    const unhandled: unknown[] = [];
    const hear = (reason: unknown) => void unhandled.push(reason);
    process.on("unhandledRejection", hear);
    try {
      const rejecting = () => Promise.reject(new Error("no session"));
      const throwing = () => {
        throw new Error("no user");
      };
      expect(() => allOf<number>(rejecting, throwing)(0)).toThrow("no user");
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off("unhandledRejection", hear);
    }
    expect(unhandled).toEqual([]);
  });

  it("charges nothing if one refuses", async () => {
    const on = setStage();
    const policy = allOf<string>(
      limitBy({ kind: "user", id: (user) => user, limits }),
      limitBy({ kind: "global", id: "all", limits: [fixedWindow({ max: 3, windowMs: 60_000 })] }),
    );
    const ask = async (user: string) => on.limiter.admit((await policy(user)) as Question);
    for (const user of ["u1", "u1", "u2"]) expectAdmitted(await ask(user));
    expectRejected(await ask("u2"), "window_exhausted");
    const peeked = await on.limiter.peek((await policy("u2")) as Question);
    expect(peeked.statuses.map(({ used }) => used)).toEqual([1, 3]);
  });

  it("joins costs by unit, and keeps the only priority", async () => {
    const one = says("a", { cost: { requests: 2 }, priority: "gold" });
    const other = says("b", { cost: { requests: 2, tokens: 5 } });
    expect(await allOf(one, other, says("c"))(request)).toMatchObject({
      cost: { requests: 2, tokens: 5 },
      priority: "gold",
    });
  });

  it("waits as long as all say, at most", async () => {
    const waiting = says("a", { maxWaitMs: 500 });
    expect(await allOf(waiting, says("b", { maxWaitMs: 200 }))(request)).toMatchObject({
      maxWaitMs: 200,
    });
    expect(await allOf(waiting, says("b"))(request)).toMatchObject({ maxWaitMs: 0 });
  });

  it("ends a wait by any signal", async () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const both = await allOf(
      says("a", { signal: one.signal }),
      says("b", { signal: other.signal }),
    )(request);
    expect(both?.signal?.aborted).toBe(false);
    other.abort();
    expect(both?.signal?.aborted).toBe(true);
    const same = await allOf(says("a", { signal: one.signal }), says("b"))(request);
    expect(same?.signal).toBe(one.signal);
  });

  it.each([
    [{ cost: { requests: 1 } }, { cost: { requests: 2 } }, "cost.requests"],
    [{ cost: { requests: 1, tokens: 0 } }, { cost: { tokens: 1 } }, "cost.tokens"],
    [{ priority: "gold" }, { priority: "silver" }, "priority"],
  ])("refuses what contradicts: %j and %j", async (one, other, path) => {
    const asked = async () => allOf(says("a", one), says("b", other))(request);
    await expect(asked).rejects.toThrow(InvalidOptionsError);
    await expect(asked).rejects.toMatchObject({ problems: [{ path }] });
  });

  it("refuses what is no policy, and nothing", () => {
    expect(() => allOf()).toThrow(InvalidOptionsError);
    expect(() => allOf(says("a"), {} as Policy<unknown>)).toThrow(
      /policies\[1\]: expected a policy/,
    );
  });
});
