import {
  concurrency,
  type Descriptor,
  fixedWindow,
  type Limit,
  type LimiterPermit,
  type LimitStatus,
} from "@sluice/core";
import { describe, expect, it } from "vitest";
import { type Stage, setStage } from "../stage";
import { setFaultyStage } from "../store/faulty-stage";
import { expectAdmitted, expectRejected } from "../verdicts";
import { expectAttempts, questionOf, statusesOf, usedOf } from "./attempts";

const WINDOW_MS = 2_000;
const rpm = (max: number) => fixedWindow({ name: "requests", max, windowMs: WINDOW_MS });
const tpm = (max: number) =>
  fixedWindow({ name: "tokens", unit: "tokens", max, windowMs: WINDOW_MS });
const parallel = (max: number) => concurrency({ name: "max_parallel_requests", max });

type Limits = readonly Limit[];

function ask(on: Pick<Stage, "limiter">, descriptors: readonly Descriptor[], cost = {}) {
  return on.limiter.admit({ descriptors, cost });
}

async function held(
  on: Pick<Stage, "limiter">,
  limits: Limits,
  ids: readonly string[],
): Promise<Map<string, LimiterPermit>> {
  const permits = new Map<string, LimiterPermit>();
  for (const id of ids) {
    permits.set(id, expectAdmitted(await on.limiter.admit(questionOf(limits))));
  }
  return permits;
}

describe("LiteLLM's limiter: windows", () => {
  it("L2: 3 requests in a window of 2 s, the fourth is refused, after 3 s one passes", async () => {
    await expectAttempts(
      setStage(),
      [rpm(3)],
      [
        [0, 1, 200],
        [0, 1, 200],
        [0, 1, 200],
        [0, 1, 429],
        [3_000, 1, 200],
      ],
    );
  });

  it("L3: the counter goes up in one window and begins at 1 in the next", async () => {
    const on = setStage();
    const seen: Pick<LimitStatus, "used" | "resetAfterMs">[] = [];
    for (const stepMs of [0, 500, 2_500]) {
      await on.clock.advanceAsync(stepMs);
      const [status] = (await on.limiter.admit(questionOf([rpm(3)]))).statuses;
      if (status !== undefined) seen.push({ used: status.used, resetAfterMs: status.resetAfterMs });
    }
    expect(seen).toEqual([
      { used: 1, resetAfterMs: 2_000 },
      // The same window: its end has come nearer by what has passed.
      { used: 2, resetAfterMs: 1_500 },
      { used: 1, resetAfterMs: 2_000 },
    ]);
  });

  it.each([
    ["key", "sk-1"],
    ["model_per_key", ["sk-1", "gpt-4"]],
    ["user", "u-1"],
    ["end_user", "e-1"],
    ["team", "t-1"],
  ] as const)("L4: tokens are reserved and refused per scope: %s", async (kind, id) => {
    const on = setStage();
    const descriptors = [{ kind, id, limits: [tpm(10)] }];
    const permit = expectAdmitted(await ask(on, descriptors, { tokens: 6 }));
    await permit.settle({ tokens: 15 });
    expectRejected(await ask(on, descriptors, { tokens: 6 }), "window_exhausted");
    await on.clock.advanceAsync(3_000);
    expectAdmitted(await ask(on, descriptors, { tokens: 6 }));
    expect((await on.limiter.peek({ descriptors })).statuses).toMatchObject([{ used: 6 }]);
  });

  it("L19: what is added to a window does not prolong it", async () => {
    const on = setStage();
    const limits = [rpm(100), fixedWindow({ name: "hour", max: 100, windowMs: 3_600_000 })];
    await on.limiter.admit(questionOf(limits, "k", 10));
    await on.clock.advanceAsync(1_500);
    await on.limiter.admit(questionOf(limits, "k", 15));
    expect(await statusesOf(on, limits)).toMatchObject([
      { used: 25, resetAfterMs: 500 },
      { used: 25, resetAfterMs: 3_598_500 },
    ]);
  });
});

describe("LiteLLM's limiter: what a request used", () => {
  const usage = { input: 20, output: 30, total: 50 };

  it.each(["input", "output", "total"] as const)(
    "L5: type %s settles its tokens, in one command that frees no slot",
    async (type) => {
      const { limiter, faulty } = setFaultyStage();
      const permit = expectAdmitted(await limiter.admit(questionOf([tpm(1_000)])));
      permit.usage({ tokens: usage[type] });
      await permit.finish();
      expect(await usedOf({ limiter }, [tpm(1_000)])).toEqual([usage[type]]);
      expect(faulty.callsOf("settle")).toHaveLength(1);
      expect(faulty.callsOf("release")).toHaveLength(0);
    },
  );

  it.each([
    { call: "an embedding", input: 50, output: 0 },
    { call: "a text completion", input: 20, output: 30 },
  ])("L6: $call settles to its total", async ({ input, output }) => {
    const on = setStage();
    const permit = expectAdmitted(await on.limiter.admit(questionOf([tpm(1_000)])));
    await permit.settle({ tokens: input + output });
    expect(await usedOf(on, [tpm(1_000)])).toEqual([50]);
  });

  it("L30: an answer that says nothing of its output settles nothing, without error", async () => {
    const { limiter, faulty } = setFaultyStage();
    const descriptors = [{ kind: "key", id: "k", limits: [rpm(5), tpm(1_000)] }];
    const permit = expectAdmitted(await ask({ limiter }, descriptors, { tokens: 25 }));
    await permit.settle({});
    expect(faulty.callsOf("settle")).toHaveLength(0);
    expect(await usedOf({ limiter }, [rpm(5), tpm(1_000)])).toEqual([1, 25]);
  });

  it("L37: usage counts on the agent and on its session", async () => {
    const on = setStage();
    const descriptors = [
      { kind: "agent", id: "a-1", limits: [tpm(5_000)] },
      { kind: "agent_session", id: ["a-1", "s-1"], limits: [tpm(1_000)] },
    ];
    const permit = expectAdmitted(await ask(on, descriptors));
    await permit.settle({ tokens: 50 });
    const { statuses } = await on.limiter.peek({ descriptors });
    expect(statuses.map(({ used }) => used)).toEqual([50, 50]);
  });

  it("L54: with an estimate tokens are reserved when the request is admitted", async () => {
    const on = setStage();
    const descriptors = [{ kind: "key", id: "k", limits: [tpm(10_000)] }];
    expectAdmitted(await ask(on, descriptors, { tokens: 6_000 }));
    expectRejected(await ask(on, descriptors, { tokens: 6_000 }), "window_exhausted");
    expect((await on.limiter.peek({ descriptors })).statuses).toMatchObject([{ used: 6_000 }]);
  });

  it("L55: without one nothing is reserved, and tokens are only checked", async () => {
    const on = setStage();
    const descriptors = [{ kind: "key", id: "k", limits: [tpm(10_000)] }];
    const permit = expectAdmitted(await ask(on, descriptors));
    expect(on.store.size).toBe(0);
    await permit.settle({ tokens: 12_000 });
    expectRejected(await ask(on, descriptors), "window_exhausted");
    await on.clock.advanceAsync(WINDOW_MS);
    expectAdmitted(await ask(on, descriptors));
  });
});

describe("LiteLLM's limiter: slots", () => {
  it("L7: a slot is given back by its holder's id, once", async () => {
    const on = setStage();
    const limits = [parallel(5)];
    const permits = await held(on, limits, ["a", "b"]);
    const unknown = expectAdmitted(await on.limiter.admit(questionOf([rpm(5)])));
    const inFlight: (number | undefined)[] = [];
    for (const id of ["a", "a", "unknown", "a", "b"]) {
      await (permits.get(id) ?? unknown).refund();
      inFlight.push((await usedOf(on, limits))[0]);
    }
    expect(inFlight).toEqual([1, 1, 1, 1, 0]);
  });

  it("L8: the failure of a request that never got a slot frees none", async () => {
    const on = setStage();
    const limits = [parallel(3)];
    await held(on, limits, ["a", "b", "c"]);
    expectRejected(await on.limiter.admit(questionOf(limits)), "concurrency_exhausted");
    const other = expectAdmitted(await on.limiter.admit(questionOf([rpm(5)])));
    await other.refund();
    expect(await usedOf(on, limits)).toEqual([3]);
    await on.limiter.close();
  });

  it("L9: slots know nothing of windows", async () => {
    const on = setStage();
    const limits = [parallel(2), rpm(100)];
    await held(on, limits, ["a", "b"]);
    await on.clock.advanceAsync(WINDOW_MS + 1);
    const rejection = expectRejected(
      await on.limiter.admit(questionOf(limits)),
      "concurrency_exhausted",
    );
    expect(rejection.violated.map(({ name }) => name)).toEqual(["max_parallel_requests"]);
    await on.limiter.close();
  });

  it("L10: a refused request takes no slot", async () => {
    const on = setStage();
    const limits = [parallel(1)];
    const permits = await held(on, limits, ["a"]);
    for (let request = 0; request < 3; request += 1) {
      expectRejected(await on.limiter.admit(questionOf(limits)), "concurrency_exhausted");
    }
    await permits.get("a")?.release();
    expectAdmitted(await on.limiter.admit(questionOf(limits)));
    expect(on.limiter.heldLeases).toBe(1);
    await on.limiter.close();
  });

  it("L11: a status tells the ceiling and what remains of it", async () => {
    const on = setStage();
    const limits = [parallel(5)];
    await held(on, limits, ["a", "b"]);
    const third = await on.limiter.admit(questionOf(limits));
    expect(third.statuses).toMatchObject([{ max: 5, used: 3, remaining: 2 }]);
    await held(on, limits, ["d", "e"]);
    const rejection = expectRejected(await on.limiter.admit(questionOf(limits)));
    expect(rejection.violated).toMatchObject([{ max: 5, used: 5, remaining: 0 }]);
    await on.limiter.close();
  });

  it("L47: a client that disconnects frees its slot", async () => {
    const on = setStage();
    const limits = [parallel(2)];
    const permits = await held(on, limits, ["a"]);
    expect(await usedOf(on, limits)).toEqual([1]);
    await permits.get("a")?.finish();
    expect(await usedOf(on, limits)).toEqual([0]);
  });

  it("L48: also when the limit was taken off its key meanwhile", async () => {
    const on = setStage();
    const permits = await held(on, [parallel(2)], ["a"]);
    expectAdmitted(await on.limiter.admit(questionOf([rpm(5)])));
    await permits.get("a")?.finish();
    expect(await usedOf(on, [parallel(2)])).toEqual([0]);
  });

  it("L50: a request that holds no slot creates nothing when it ends", async () => {
    const { limiter, faulty, stores } = setFaultyStage();
    const permit = expectAdmitted(await limiter.admit(questionOf([tpm(10)])));
    await permit.finish();
    expect(faulty.callsOf("release")).toHaveLength(0);
    expect(faulty.callsOf("settle")).toHaveLength(0);
    expect(stores[0]?.size).toBe(0);
  });

  it("L52: what wraps a stream twice ends it twice, and frees one slot", async () => {
    const on = setStage();
    const limits = [parallel(2)];
    const permits = await held(on, limits, ["a", "b"]);
    await permits.get("a")?.finish();
    await permits.get("a")?.finish();
    expect(await usedOf(on, limits)).toEqual([1]);
    await permits.get("b")?.finish();
    await permits.get("b")?.finish();
    expect(await usedOf(on, limits)).toEqual([0]);
  });
});

describe("LiteLLM's limiter: which limit refused", () => {
  const model = (limits: Limits): Descriptor => ({
    kind: "model_per_key",
    id: ["key", "model"],
    limits,
  });

  it("L14: tokens are over, requests are not", async () => {
    const on = setStage();
    const descriptors = [model([rpm(2), tpm(2)])];
    const permit = expectAdmitted(await ask(on, descriptors, { tokens: 2 }));
    await permit.settle({ tokens: 20 });
    const rejection = expectRejected(await ask(on, descriptors, { tokens: 1 }));
    expect(rejection).toMatchObject({ reason: "window_exhausted", retryAfterMs: WINDOW_MS });
    expect(rejection.violated).toMatchObject([
      { unit: "tokens", max: 2, used: 20, remaining: 0, descriptor: { id: ["key", "model"] } },
    ]);
    const [requests] = (await on.limiter.peek({ descriptors })).statuses;
    expect(requests).toMatchObject({ unit: "requests", max: 2, remaining: 1, admitted: true });
  });

  it("L15: requests are over, tokens are not", async () => {
    const on = setStage();
    const descriptors = [model([rpm(2), tpm(100)])];
    for (let request = 0; request < 2; request += 1) {
      expectAdmitted(await ask(on, descriptors, { tokens: 1 }));
    }
    const rejection = expectRejected(await ask(on, descriptors, { tokens: 1 }));
    expect(rejection.violated).toMatchObject([{ unit: "requests", max: 2, remaining: 0 }]);
  });

  it("L16, L17: a member of a team is told as the member of that team", async () => {
    const on = setStage();
    const descriptors = [
      { kind: "team_member", id: ["team_123", "user_456"], limits: [rpm(10), tpm(1_000)] },
    ];
    for (let request = 0; request < 10; request += 1) expectAdmitted(await ask(on, descriptors));
    const verdict = await ask(on, descriptors);
    expect(verdict.statuses.map(({ max }) => max)).toEqual([10, 1_000]);
    const rejection = expectRejected(verdict, "window_exhausted");
    expect(rejection.violated).toMatchObject([
      { unit: "requests", max: 10, remaining: 0, descriptor: { id: ["team_123", "user_456"] } },
    ]);
    expect(rejection.retryAfterMs).toBe(WINDOW_MS);
  });

  it("L25: of several on one descriptor it is the parallel requests", async () => {
    const on = setStage();
    const descriptors = [{ kind: "api_key", id: "k", limits: [rpm(2), tpm(10), parallel(1)] }];
    expectAdmitted(await ask(on, descriptors, { tokens: 1 }));
    const rejection = expectRejected(
      await ask(on, descriptors, { tokens: 1 }),
      "concurrency_exhausted",
    );
    expect(rejection.violated).toMatchObject([
      { name: "max_parallel_requests", max: 1, remaining: 0, descriptor: { kind: "api_key" } },
    ]);
    expect(rejection.retryAfterMs).toBeGreaterThan(0);
    await on.limiter.close();
  });

  it("L38: the third request of an agent with 2 per window is refused as the agent's", async () => {
    const on = setStage();
    const descriptors = [{ kind: "agent", id: "a-1", limits: [rpm(2)] }];
    for (let request = 0; request < 2; request += 1) expectAdmitted(await ask(on, descriptors));
    const rejection = expectRejected(await ask(on, descriptors), "window_exhausted");
    expect(rejection.violated[0]?.descriptor).toMatchObject({ kind: "agent", id: "a-1" });
  });
});

describe("LiteLLM's limiter: several descriptors", () => {
  it("L45: a limit for one server is not spent by calls of another", async () => {
    const on = setStage();
    const server = (name: string): readonly Descriptor[] =>
      name === "github"
        ? [{ kind: "mcp_server", id: ["key", name], limits: [rpm(2)] }]
        : [{ kind: "key", id: "key", limits: [rpm(100)] }];
    expectAdmitted(await ask(on, server("github")));
    expectAdmitted(await ask(on, server("github")));
    expectRejected(await ask(on, server("github")), "window_exhausted");
    for (let call = 0; call < 5; call += 1) expectAdmitted(await ask(on, server("slack")));
  });

  const key = (max: number): Descriptor => ({ kind: "key", id: "sk-1", limits: [rpm(max)] });
  const tag = (name: string, max: number): Descriptor => ({
    kind: "tag_per_key",
    id: ["sk-1", name],
    limits: [rpm(max)],
  });

  it("L56: one tag's limit does not touch another's", async () => {
    const on = setStage();
    const first = [key(100), tag("cell-1", 2)];
    for (let request = 0; request < 2; request += 1) expectAdmitted(await ask(on, first));
    const rejection = expectRejected(await ask(on, first), "window_exhausted");
    expect(rejection.violated.map(({ descriptor }) => descriptor.kind)).toEqual(["tag_per_key"]);
    for (let request = 0; request < 5; request += 1) {
      expectAdmitted(await ask(on, [key(100), tag("cell-2", 100)]));
    }
    // The refused request was charged to neither.
    expect((await on.limiter.peek({ descriptors: first })).statuses).toMatchObject([
      { used: 7 },
      { used: 2 },
    ]);
  });

  it("L58: untagged requests are refused by the key, not by a tag", async () => {
    const on = setStage();
    expectAdmitted(await ask(on, [key(3)]));
    expectAdmitted(await ask(on, [key(3), tag("cell-1", 2)]));
    expectAdmitted(await ask(on, [key(3)]));
    const rejection = expectRejected(await ask(on, [key(3)]), "window_exhausted");
    expect(rejection.violated.map(({ descriptor }) => descriptor.kind)).toEqual(["key"]);
  });
});
