import {
  createUpstreams,
  retryBudget,
  type SluiceEvent,
  type UpstreamKey,
  type UpstreamsOptions,
} from "@sluice/core";
import { describe, expect, it } from "vitest";
import { passOf, reasonOf, refusalOf, upstreamsOn } from "../../test/outbound/ask";
import { problemPathsOf } from "../../test/problem-paths";
import { SettableLimit } from "../../test/settable-limit";

const chat = { route: "chat", model: "large" };
const noQueue = { max: 0 };

describe("the limit of a key", () => {
  it("is its own: two models do not share one", async () => {
    const { upstreams } = upstreamsOn({ maxInFlight: 1, queue: noQueue });
    await passOf(upstreams.upstream(chat));
    expect(await reasonOf(upstreams.upstream({ ...chat }))).toBe("queue_full");
    expect(await reasonOf(upstreams.upstream({ ...chat, model: "small" }))).toBe("admitted");
  });

  it("learns from its calls: latency from start to end, in flight at the start, outcome", async () => {
    const limit = new SettableLimit(5);
    const { clock, upstreams } = upstreamsOn({ maxInFlight: () => limit });
    const first = await passOf(upstreams.upstream(chat));
    const second = await passOf(upstreams.upstream(chat));
    clock.advance(30);
    first.end();
    clock.advance(20);
    second.end("dropped");
    expect(limit.samples).toEqual([
      { latencyMs: 30, inFlight: 1, outcome: "success" },
      { latencyMs: 50, inFlight: 2, outcome: "dropped" },
    ]);
  });

  it("lets waiters start when it grows", async () => {
    const limit = new SettableLimit(1);
    const { upstreams } = upstreamsOn({ maxInFlight: () => limit });
    const door = upstreams.upstream(chat);
    await passOf(door);
    const waiting = door.enter();
    await Promise.resolve();
    expect(door.stats()).toMatchObject({ inFlight: 1, queued: 1, limit: 1 });
    limit.set(2);
    expect((await waiting).admitted).toBe(true);
    expect(door.stats()).toMatchObject({ inFlight: 2, queued: 0, limit: 2, admitted: 2 });
  });

  it("is found by itself if none is given", () => {
    const door = createUpstreams().upstream(chat);
    expect(door.stats().limit).toBe(20);
    door.limit?.useStatic(5);
    expect(door.stats().limit).toBe(5);
  });

  it("says in its events, and in those of its gate, which key it is of", async () => {
    const events: SluiceEvent[] = [];
    const recorder = { record: (event: SluiceEvent) => void events.push(event) };
    const door = createUpstreams({ queue: { max: 0 }, recorder }).upstream({ model: "large" });
    door.limit?.useStatic(1);
    const permit = await passOf(door);
    await reasonOf(door);
    permit.end();
    expect(events).toMatchObject(
      ["limit_changed", "gate_admitted", "gate_rejected", "gate_ended"].map((type) => ({
        type,
        upstream: "::large::",
      })),
    );
  });

  it("can be set by hand", async () => {
    const limit = new SettableLimit(1);
    const { upstreams } = upstreamsOn({ maxInFlight: () => limit, queue: noQueue });
    const door = upstreams.upstream(chat);
    door.limit?.useStatic(2);
    expect([await reasonOf(door), await reasonOf(door)]).toEqual(["admitted", "admitted"]);
    expect(upstreamsOn().upstreams.upstream(chat).limit).toBeUndefined();
  });
});

describe("a pause", () => {
  it("refuses with the exact wait: 1 ms before its end, and not at it", async () => {
    const { clock, upstreams, events } = upstreamsOn();
    const door = upstreams.upstream(chat);
    const permit = await passOf(door);
    permit.refused({ retryAfterMs: 2000 });
    permit.end("dropped");
    expect(await refusalOf(door)).toEqual({
      reason: "paused",
      retryAfterMs: 2000,
      retryable: true,
      violated: [],
    });
    clock.advance(1999);
    expect(await refusalOf(door)).toMatchObject({ reason: "paused", retryAfterMs: 1 });
    clock.advance(1);
    expect(await reasonOf(door)).toBe("admitted");
    const common = { outbound: "upstream", upstream: "chat::large::" };
    expect(events).toContainEqual({ type: "upstream_paused", ...common, waitMs: 2000 });
    const told = { reason: "paused", retryAfterMs: 1 };
    expect(events).toContainEqual({ type: "outbound_rejected", ...common, ...told });
  });

  it("is that of one key, is never shortened, and is cut to its bound", () => {
    const { clock, upstreams } = upstreamsOn({ pauseMaxMs: 5000 });
    const door = upstreams.upstream(chat);
    door.pause(1e9);
    door.pause(1000);
    door.pause(0);
    expect(door.stats().pausedForMs).toBe(5000);
    expect(upstreams.upstream({ route: "chat" }).stats().pausedForMs).toBe(0);
    clock.advance(4000);
    door.pause(999.5);
    expect(door.stats().pausedForMs).toBe(1000);
    door.pause(1001);
    expect(door.stats().pausedForMs).toBe(1001);
  });

  it("refuses those who waited when it began, when their turn comes, and keeps no slot", async () => {
    const { upstreams } = upstreamsOn({ maxInFlight: 1, queue: { max: 5 } });
    const door = upstreams.upstream(chat);
    const running = await passOf(door);
    const waiting = [reasonOf(door), reasonOf(door)];
    await Promise.resolve();
    running.refused({ retryAfterMs: 500 });
    running.end("dropped");
    expect(await Promise.all(waiting)).toEqual(["paused", "paused"]);
    expect(door.stats()).toMatchObject({ inFlight: 0, queued: 0, rejectedByReason: { paused: 2 } });
  });

  it.each([Number.NaN, -1])("of %d is a mistake", (waitMs) => {
    const { upstreams } = upstreamsOn();
    expect(problemPathsOf(() => upstreams.upstream(chat).pause(waitMs))).toEqual(["waitMs"]);
  });
});

describe("an upstream that gets too much", () => {
  it("has a limit that does not grow for 15 s, with or without a wait", async () => {
    const limit = new SettableLimit(4);
    const { clock, upstreams } = upstreamsOn({ maxInFlight: () => limit });
    const door = upstreams.upstream(chat);
    const permit = await passOf(door);
    permit.refused();
    permit.end("dropped");
    limit.set(9);
    clock.advance(14_999);
    expect(door.stats()).toMatchObject({ limit: 4, pausedForMs: 0 });
    clock.advance(1);
    expect(door.stats().limit).toBe(9);
  });

  it("is not heard any more when the call has ended", async () => {
    const { upstreams } = upstreamsOn();
    const permit = await passOf(upstreams.upstream(chat));
    permit.end();
    permit.refused({ retryAfterMs: 1000 });
    expect(upstreams.upstream(chat).stats().pausedForMs).toBe(0);
  });
});

describe("retries", () => {
  it("need the budget; first attempts do not", async () => {
    const { upstreams } = upstreamsOn({ retryBudget: { min: 1, share: 0 } });
    const door = upstreams.upstream(chat);
    const retry = await passOf(door, { attempt: 2 });
    expect(await refusalOf(door, { attempt: 2 })).toEqual({
      reason: "retry_budget_exhausted",
      retryable: true,
      violated: [],
    });
    expect(await reasonOf(door)).toBe("admitted");
    retry.end();
    expect(await reasonOf(door, { attempt: 3 })).toBe("admitted");
    expect(await refusalOf(door, { attempt: 4 })).toMatchObject({ retryable: false });
  });

  it("can share one budget, or have none", async () => {
    const shared = retryBudget({ min: 1, share: 0 });
    const { upstreams } = upstreamsOn({ retryBudget: shared });
    await passOf(upstreams.upstream({ route: "a" }), { attempt: 2 });
    expect(await reasonOf(upstreams.upstream({ route: "b" }), { attempt: 2 })).toBe(
      "retry_budget_exhausted",
    );
    const free = upstreamsOn({ retryBudget: false }).upstreams.upstream(chat);
    for (let n = 0; n < 9; n += 1) expect(await reasonOf(free, { attempt: 9 })).toBe("admitted");
  });

  it("give the budget back when something else refuses them", async () => {
    const budget = retryBudget({ min: 1, share: 0 });
    const { upstreams } = upstreamsOn({ maxInFlight: 1, queue: noQueue, retryBudget: budget });
    const running = await passOf(upstreams.upstream(chat));
    expect(await reasonOf(upstreams.upstream(chat), { attempt: 2 })).toBe("queue_full");
    running.end();
    expect(budget.stats()).toMatchObject({ inFlight: 0, retriesInFlight: 0 });
  });
});

describe("the throttle of a key", () => {
  it("refuses what the upstream would, and not what another key gets", async () => {
    const { upstreams, events } = upstreamsOn({ maxInFlight: 1000 });
    const door = upstreams.upstream(chat);
    for (let n = 0; n < 200; n += 1) {
      const verdict = await door.enter();
      if (verdict.admitted) verdict.permit.end("dropped");
    }
    const { throttled = 0 } = door.stats().rejectedByReason;
    expect(throttled).toBeGreaterThan(150);
    const told = events.filter(({ type }) => type === "outbound_rejected");
    expect(told).toHaveLength(throttled);
    expect(told[0]).toMatchObject({ reason: "throttled", upstream: "chat::large::" });
    expect(await reasonOf(upstreams.upstream({ route: "other" }))).toBe("admitted");
  });

  it("hears nothing of calls that were refused for want of a slot", async () => {
    const { upstreams } = upstreamsOn({ maxInFlight: 1, queue: noQueue });
    const door = upstreams.upstream(chat);
    const running = await passOf(door);
    for (let n = 0; n < 100; n += 1) expect(await reasonOf(door)).toBe("queue_full");
    running.end();
    for (let n = 0; n < 100; n += 1) (await passOf(door)).end();
  });

  it("can be left out", async () => {
    const { upstreams } = upstreamsOn({ throttle: false });
    const door = upstreams.upstream(chat);
    for (let n = 0; n < 100; n += 1) (await passOf(door, { criticality: "any" })).end("dropped");
  });
});

describe("R081: a deadline", () => {
  it("bounds the wait and not the call: who runs longer keeps its slot, and gives it back once", async () => {
    const { clock, upstreams } = upstreamsOn({ maxInFlight: 1 });
    const door = upstreams.upstream(chat);
    const permit = await passOf(door, { deadlineMs: 1000 });
    const second = passOf(door);
    await clock.advanceAsync(900);
    const third = reasonOf(door, { deadlineMs: 500 });
    await clock.advanceAsync(99);
    expect(door.stats()).toMatchObject({ inFlight: 1, queued: 1 });
    permit.end("dropped");
    expect((await second).waitedMs).toBe(999);
    permit.end();
    expect(await third).toBe("queue_full");
    expect(door.stats().inFlight).toBe(1);
  });
});

describe("a caller that gives up", () => {
  it("is not let in, or leaves the queue at once", async () => {
    const { upstreams } = upstreamsOn({ maxInFlight: 1 });
    const door = upstreams.upstream(chat);
    const gone = new AbortController();
    gone.abort();
    expect(await reasonOf(door, { signal: gone.signal })).toBe("aborted");
    await passOf(door);
    const leaving = new AbortController();
    const waiting = reasonOf(door, { signal: leaving.signal });
    await Promise.resolve();
    leaving.abort();
    expect(await waiting).toBe("aborted");
    expect(door.stats()).toMatchObject({ inFlight: 1, queued: 0 });
  });
});

describe("memory", () => {
  const keyed = (model: number) => ({ model: `m${model}` });

  it("keeps so many keys, and forgets the one used least recently", () => {
    const limits: string[] = [];
    const maxInFlight = ({ model = "" }: UpstreamKey) => limits.push(model) && 1;
    const { upstreams, events } = upstreamsOn({ maxInFlight, maxKeys: 3 });
    for (const model of [1, 2, 3, 1, 4, 5, 1]) upstreams.upstream(keyed(model));
    expect(upstreams.size).toBe(3);
    expect(limits).toEqual(["m1", "m2", "m3", "m4", "m5"]);
    const forgotten = events.filter(({ type }) => type === "upstream_forgotten");
    expect(forgotten).toMatchObject([{ upstream: "::m2::" }, { upstream: "::m3::" }]);
  });

  it("never forgets a key with work in flight or waiting", async () => {
    const { upstreams } = upstreamsOn({ maxInFlight: 1, maxKeys: 2 });
    const busy = await passOf(upstreams.upstream(keyed(0)));
    const door = upstreams.upstream(keyed(0));
    const waiting = door.enter();
    for (let model = 1; model < 100; model += 1) upstreams.upstream(keyed(model));
    expect(upstreams.size).toBe(2);
    expect(door.stats()).toMatchObject({ inFlight: 1, queued: 1 });
    busy.end();
    expect((await waiting).admitted).toBe(true);
  });

  it("has more keys than its bound only while so many have calls in flight", async () => {
    const { upstreams } = upstreamsOn({ maxKeys: 10 });
    const permits = [];
    for (let model = 0; model < 100; model += 1) {
      permits.push(await passOf(upstreams.upstream(keyed(model))));
    }
    expect(upstreams.size).toBe(100);
    for (const permit of permits) permit.end();
    for (let model = 100; model < 110; model += 1) upstreams.upstream(keyed(model));
    expect(upstreams.size).toBe(10);
  });

  it("keeps pauses up to twice its bound", () => {
    const { upstreams } = upstreamsOn({ maxKeys: 5 });
    for (let model = 0; model < 100; model += 1) upstreams.upstream(keyed(model)).pause(1000);
    expect(upstreams.size).toBeLessThanOrEqual(10);
    expect(upstreams.size).toBeGreaterThan(5);
  });

  it("finds the same state through a door of before the key was forgotten", async () => {
    const { upstreams } = upstreamsOn({ maxInFlight: 1, queue: noQueue, maxKeys: 1 });
    const old = upstreams.upstream(keyed(1));
    upstreams.upstream(keyed(2));
    await passOf(old);
    expect(await reasonOf(upstreams.upstream(keyed(1)))).toBe("queue_full");
  });

  it("lets go of the limit of a key that is forgotten", () => {
    const limits: SettableLimit[] = [];
    const maxInFlight = () => {
      const limit = new SettableLimit(3);
      limits.push(limit);
      return limit;
    };
    const { clock, upstreams } = upstreamsOn({ maxInFlight, maxKeys: 1 });
    upstreams.upstream(keyed(1));
    upstreams.upstream(keyed(2));
    return clock.advanceAsync(0).then(() => {
      expect(limits.map(({ listenerCount }) => listenerCount)).toEqual([0, 1]);
    });
  });
});

describe("drain", () => {
  it("refuses newcomers and waiters of all keys, also new ones, and waits for the last", async () => {
    const { upstreams } = upstreamsOn({ maxInFlight: 1 });
    const door = upstreams.upstream(chat);
    const running = await passOf(door);
    const waiting = reasonOf(door);
    await Promise.resolve();
    let isDrained = false;
    const drained = upstreams.drain().then(() => {
      isDrained = true;
    });
    expect(await waiting).toBe("draining");
    expect(await reasonOf(door)).toBe("draining");
    expect(await reasonOf(upstreams.upstream({ route: "new" }))).toBe("draining");
    expect(isDrained).toBe(false);
    running.end();
    await drained;
    expect(upstreams.drain()).toBe(upstreams.drain());
  });
});

describe("bad input", () => {
  it.each([
    [{ maxInFlight: 0 }, ["maxInFlight"]],
    [{ maxInFlight: 1, maxkeys: 5 }, ["maxkeys"]],
    [
      { maxInFlight: 1, throttle: { K: 2 }, retryBudget: { min: -1 } },
      ["throttle.K", "retryBudget.min"],
    ],
    [{ maxInFlight: 1, throttle: true }, ["throttle"]],
    [{ throttle: null, retryBudget: null }, ["throttle", "retryBudget"]],
    [{ queue: null }, ["queue"]],
    [{ queue: { max: -1, timeoutMs: 0 } }, ["queue.max", "queue.timeoutMs"]],
    [
      { maxInFlight: null, heldUntil: "end ", parents: null },
      ["maxInFlight", "heldUntil", "parents"],
    ],
    [{ maxInFlight: 1, parents: { "a b": {} }, parentOf: (): string => "a b" }, ["parents"]],
    [
      { maxInFlight: 1, parents: { a: { maxInFlight: 0 } }, parentOf: (): string => "a" },
      ["maxInFlight"],
    ],
    [
      { maxInFlight: 1, holdGrowthMs: -1, pauseMaxMs: 0, maxKeys: 0, name: "a b" },
      ["name", "holdGrowthMs", "pauseMaxMs", "maxKeys"],
    ],
  ])("%j is refused", (options, paths) => {
    const make = () => createUpstreams(options as unknown as UpstreamsOptions);
    expect(problemPathsOf(make)).toEqual(paths);
  });

  it.each([
    [{ modle: "x" }, ["modle"]],
    [{ model: "" }, ["model"]],
    [{ model: "x".repeat(257) }, ["model"]],
    [{ model: 5 }, ["model"]],
    [null, ["key"]],
  ])("a key of %j is refused", (key, paths) => {
    const { upstreams } = upstreamsOn();
    expect(problemPathsOf(() => upstreams.upstream(key as UpstreamKey))).toEqual(paths);
  });

  it.each([
    { attempt: 0 },
    { deadlineMs: Number.NaN },
    { signal: {} },
    { criticality: "urgent" },
    { retry: 1 },
  ])("entering with %j rejects, and holds nothing", async (options) => {
    const { upstreams } = upstreamsOn();
    const door = upstreams.upstream(chat);
    await expect(door.enter(options as never)).rejects.toThrow(Object.keys(options)[0] as string);
    expect(door.stats().inFlight).toBe(0);
    for (let model = 0; model < 2000; model += 1) upstreams.upstream({ model: `m${model}` });
    expect(upstreams.size).toBe(1000);
  });

  it("is a limit that is none", () => {
    const { upstreams } = upstreamsOn({ maxInFlight: () => "10" as never });
    expect(problemPathsOf(() => upstreams.upstream(chat))).toEqual(["maxInFlight"]);
  });
});

describe("keys", () => {
  it("are objects: a name alone does not say which part of a key it is", () => {
    const { upstreams } = upstreamsOn();
    expect(() => upstreams.upstream("openai" as never)).toThrow(
      'key: expected an object of any of route, region, model, mode, class, received "openai"',
    );
  });

  it("that differ never share a state, whatever their texts are", () => {
    const { upstreams } = upstreamsOn();
    const keys = [
      {},
      { route: "a:b" },
      { route: "a", region: "b" },
      { region: "a", model: "b" },
      { route: "a%003Ab" },
      { class: "a" },
      { mode: "a" },
    ];
    for (const key of keys) upstreams.upstream(key);
    expect(upstreams.size).toBe(keys.length);
    expect(upstreams.stats().map(({ key }) => key)).toEqual(keys);
    const texts = upstreams.stats().map(({ upstream }) => upstream);
    expect(new Set(texts).size).toBe(keys.length);
    expect(texts).toContain("a:b:::");
  });
});
