import {
  type Descriptor,
  fixedWindow,
  InvalidOptionsError,
  type Limiter,
  type Question,
} from "@sluice/core";
import { describe, expect, it } from "vitest";
import { setStage } from "../stage";
import { expectAdmitted, expectRejected } from "../verdicts";
import { statusesOf } from "./attempts";

const HOUR_MS = 3_600_000;
const single = [fixedWindow({ max: 1, windowMs: HOUR_MS })];

function ask(limiter: Limiter, id: Descriptor["id"], limits = single) {
  return limiter.admit({ descriptors: [{ kind: "user", id, limits }] });
}

describe("R045: two rules", () => {
  const a = fixedWindow({ max: 10, windowMs: 30 * 24 * HOUR_MS });
  const b = fixedWindow({ max: 5, windowMs: HOUR_MS });

  it.each([
    { how: "of two kinds", kinds: ["rule-a", "rule-b"] },
    { how: "of one kind, asked one after the other", kinds: ["rule", "rule"] },
  ])("$how have a counter each", async ({ kinds: [kindA = "", kindB = ""] }) => {
    const on = setStage();
    const of = (kind: string, limits: Descriptor["limits"]): Question => ({
      descriptors: [{ kind, id: "user-1", limits }],
    });
    for (let call = 0; call < 6; call += 1) {
      expectAdmitted(await on.limiter.admit(of(kindA, [a])));
    }
    const verdict = await on.limiter.admit(of(kindB, [b]));
    expectAdmitted(verdict);
    expect(verdict.statuses).toMatchObject([{ used: 1, remaining: 4, resetAfterMs: HOUR_MS }]);
    const peeked = await on.limiter.peek(of(kindA, [a]));
    expect(peeked.statuses).toMatchObject([{ used: 6, resetAfterMs: 30 * 24 * HOUR_MS }]);
  });

  it("of one descriptor are counted side by side, in either order", async () => {
    for (const limits of [
      [a, b],
      [b, a],
    ]) {
      const on = setStage();
      for (let call = 0; call < 5; call += 1) {
        expectAdmitted(await ask(on.limiter, "u", limits));
      }
      const rejection = expectRejected(await ask(on.limiter, "u", limits), "window_exhausted");
      expect(rejection.violated.map(({ name }) => name)).toEqual([b.name]);
      expect(rejection.retryAfterMs).toBe(HOUR_MS);
    }
  });

  it.each([
    [
      ["a:b", "c"],
      ["a", "b:c"],
    ],
    [["a", "b"], ["ab"]],
    [["a", "b"], "a:b"],
    [
      ["a", "b"],
      ["b", "a"],
    ],
    ["{1}", "1"],
    ["user:{1}", "user:{2}"],
    ["a b", "a_b"],
    ["a%3Ab", "a:b"],
    ["a%003Ab", "a:b"],
    ["é", "e\u0301"],
    ["\ud800", "\ud801"],
    ["\ud800", "\ufffd"],
    ["1", "01"],
    ["A", "a"],
    ["a", "a\u0000"],
    [`${"x".repeat(10_240)}y`, `${"x".repeat(10_240)}z`],
    [":".repeat(10_240), ":".repeat(10_241)],
  ] as const)("never share the counter of %j and %j", async (one, other) => {
    const on = setStage();
    expectAdmitted(await ask(on.limiter, one));
    expectAdmitted(await ask(on.limiter, other));
    expectRejected(await ask(on.limiter, one), "window_exhausted");
    expectRejected(await ask(on.limiter, other), "window_exhausted");
    expect(on.store.size).toBe(2);
  });

  it("take a text and the list of that text for the same subject", async () => {
    const on = setStage();
    expectAdmitted(await ask(on.limiter, "u"));
    expectRejected(await ask(on.limiter, ["u"]), "window_exhausted");
  });
});

describe("R046: an id that is no id", () => {
  class Session {
    readonly user = "u";
  }

  it.each([
    undefined,
    null,
    "",
    Number.NaN,
    0,
    42,
    true,
    {},
    new Session(),
    Promise.resolve("u"),
    () => "u",
    Symbol("u"),
    10n,
    [],
    [""],
    ["u", ""],
    ["u", undefined],
    ["u", null],
    ["u", Number.NaN],
    [["u"]],
    new Array(1),
    new Array(17).fill("u"),
  ])("is an error and no bucket: %s", async (id) => {
    const on = setStage();
    const asked = ask(on.limiter, id as string);
    await expect(asked).rejects.toThrow(InvalidOptionsError);
    await expect(asked).rejects.toMatchObject({ problems: [{ path: "descriptors[0].id" }] });
    await expect(
      on.limiter.peek({ descriptors: [{ kind: "user", id: id as string, limits: single }] }),
    ).rejects.toThrow(InvalidOptionsError);
    expect(on.store.size).toBe(0);
    // The texts that such an id would have become are free.
    for (const text of ["undefined", "null", "NaN", "[object Object]", "[object Promise]"]) {
      expectAdmitted(await ask(on.limiter, text));
    }
  });

  it("of a rejected promise is an error, and the rejection stays with its maker", async () => {
    const on = setStage();
    const id = Promise.reject(new Error("no session"));
    await expect(ask(on.limiter, id as unknown as string)).rejects.toThrow(InvalidOptionsError);
    await expect(id).rejects.toThrow("no session");
  });

  it("of a policy that throws reaches the caller, and nothing is charged", async () => {
    const on = setStage();
    const policy = (): Question => {
      throw new Error("no header");
    };
    await expect(async () => on.limiter.admit(policy())).rejects.toThrow("no header");
    expect(on.store.size).toBe(0);
  });

  it("of its own for every request keeps the store within its bound", {
    timeout: 60_000,
  }, async () => {
    const on = setStage({ maxKeys: 1_000 });
    for (let request = 0; request < 20_000; request += 1) {
      const id = `${request.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
      const verdict = await ask(on.limiter, id);
      if (!verdict.admitted) throw new Error(`request ${request} was refused`);
    }
    expect(on.store.size).toBe(1_000);
    await on.limiter.close();
  });
});

describe("a key that every object has", () => {
  it.each(["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "then"])(
    "probe: %s as an id admits, admits and rejects with limit 2",
    async (id) => {
      const on = setStage();
      const limits = [fixedWindow({ max: 2, windowMs: HOUR_MS })];
      expectAdmitted(await ask(on.limiter, id, limits));
      expectAdmitted(await ask(on.limiter, id, limits));
      expectRejected(await ask(on.limiter, id, limits), "window_exhausted");
    },
  );

  it.each(["constructor", "toString", "hasOwnProperty", "valueOf", "then", "__proto__"])(
    "probe: %s as the name of a limit admits, admits and rejects with limit 2",
    async (name) => {
      const on = setStage();
      const limits = [fixedWindow({ name, max: 2, windowMs: HOUR_MS })];
      expectAdmitted(await ask(on.limiter, "u", limits));
      expectAdmitted(await ask(on.limiter, "u", limits));
      expectRejected(await ask(on.limiter, "u", limits), "window_exhausted");
      expect(await statusesOf(on, limits)).toMatchObject([{ name, used: 0 }]);
    },
  );

  it.each(["constructor", "toString", "hasOwnProperty", "valueOf", "then"])(
    "probe: %s as a kind admits, admits and rejects with limit 2",
    async (kind) => {
      const on = setStage();
      const limits = [fixedWindow({ max: 2, windowMs: HOUR_MS })];
      const asked = () => on.limiter.admit({ descriptors: [{ kind, id: "u", limits }] });
      expectAdmitted(await asked());
      expectAdmitted(await asked());
      expectRejected(await asked(), "window_exhausted");
    },
  );
});
