import { createLimiter, fixedWindow, InvalidOptionsError, type Question } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { problemPathsOf } from "../../../test/problem-paths";
import { limitBy } from "./limit-by";
import type { LimitByOptions } from "./limit-by-options";
import { unlimited } from "./unless";

interface Asking {
  readonly user?: unknown;
  readonly plan?: "free" | "paid";
}

const free = [fixedWindow({ max: 1, windowMs: 60_000 })];
const paid = [fixedWindow({ max: 100, windowMs: 10_000 })];
const byUser = (more: Partial<LimitByOptions<Asking>> = {}) =>
  limitBy<Asking>({
    kind: "user",
    id: (request) => request.user as string,
    limits: free,
    ...more,
  });

describe("limitBy", () => {
  it("asks about one descriptor", () => {
    expect(byUser()({ user: "u1" })).toEqual({
      descriptors: [{ kind: "user", id: "u1", limits: free }],
    });
  });

  it("E-21: takes limits, cost and priority from the request", () => {
    const policy = byUser({
      limits: ({ plan = "free" }) => ({ free, paid })[plan],
      cost: () => ({ requests: 7 }),
      priority: ({ plan }) => plan,
      maxWaitMs: 50,
    });
    expect(policy({ user: "u1", plan: "paid" })).toEqual({
      descriptors: [{ kind: "user", id: "u1", limits: paid }],
      cost: { requests: 7 },
      priority: "paid",
      maxWaitMs: 50,
    });
  });

  it("E-21: takes everything as promises, too", async () => {
    const policy = byUser({
      id: async () => ["team", "u1"],
      limits: async () => paid,
      cost: async () => ({ requests: 2 }),
      priority: async () => "paid",
    });
    expect(await policy({})).toEqual({
      descriptors: [{ kind: "user", id: ["team", "u1"], limits: paid }],
      cost: { requests: 2 },
      priority: "paid",
    });
  });

  it("takes what is fixed as it is", () => {
    const policy = limitBy({ kind: "global", id: "all", limits: free, cost: { requests: 3 } });
    expect(policy({ headers: {}, socket: {} })).toEqual({
      descriptors: [{ kind: "global", id: "all", limits: free }],
      cost: { requests: 3 },
    });
  });

  it("says null where the request has no limits", () => {
    expect(byUser({ limits: () => null })({ user: "u1" })).toBeNull();
  });
});

describe("R046: an id that is missing", () => {
  const missing = [undefined, null, "", [], ["a", ""], ["a", undefined], ["a", null]];

  it.each(missing)("is an error by default: %j", (user) => {
    expect(() => byUser()({ user })).toThrow(InvalidOptionsError);
    expect(() => byUser()({ user })).toThrow(/question of kind user: id: expected .*otherwise/);
  });

  it.each(missing)("is asked of another policy if there is one: %j", (user) => {
    const shared = limitBy<Asking>({ kind: "anonymous", id: "all", limits: free });
    expect(byUser({ otherwise: shared })({ user })).toMatchObject({
      descriptors: [{ kind: "anonymous", id: "all" }],
    });
    expect(byUser({ otherwise: unlimited })({ user })).toBeNull();
  });

  it("is an error of a promise, too", async () => {
    const policy = byUser({ id: async () => undefined });
    await expect(policy({})).rejects.toThrow(InvalidOptionsError);
  });

  it.each([Number.NaN, 0, 42, true, {}, Symbol("u"), [["u"]], ["u", {}], new Array(1)])(
    "and one that is no text is an error of the limiter, whatever the other policy: %s",
    async (user) => {
      const question = await byUser({ otherwise: unlimited })({ user });
      const asked = createLimiter().admit(question as Question);
      await expect(asked).rejects.toMatchObject({ problems: [{ path: "descriptors[0].id" }] });
    },
  );

  it("of a function that throws or rejects is that error", async () => {
    const error = new Error("no session");
    const throwing = byUser({
      id: () => {
        throw error;
      },
      otherwise: unlimited,
    });
    expect(() => throwing({})).toThrow(error);
    await expect(byUser({ id: () => Promise.reject(error) })({})).rejects.toThrow(error);
  });
});

describe("limitBy options", () => {
  it.each([
    [{ kind: undefined }, "kind"],
    [{ kind: "1a" }, "kind"],
    [{ kind: "a b" }, "kind"],
    [{ id: undefined }, "id"],
    [{ id: "" }, "id"],
    [{ id: 5 }, "id"],
    [{ id: [] }, "id"],
    [{ limits: undefined }, "limits"],
    [{ limits: [] }, "limits"],
    [{ limits: {} }, "limits"],
    [{ maxWaitMs: 0.5 }, "maxWaitMs"],
    [{ otherwise: {} }, "otherwise"],
    [{ keyGenerator: () => "u" }, "keyGenerator"],
  ])("are refused: %j", (more, path) => {
    expect(problemPathsOf(() => byUser(more as object))).toEqual([path]);
  });
});
