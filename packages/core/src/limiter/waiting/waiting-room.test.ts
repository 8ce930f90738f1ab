import {
  type AdmitCommand,
  concurrency,
  createLimiter,
  type DescriptorLimit,
  fixedWindow,
  type LimiterOptions,
  type LimiterPermit,
  memoryStore,
  priorityPool,
  type Question,
  type SluiceEvent,
  type Store,
} from "@sluice/core";
import { FakeClock, seededRandom } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { problemPathsOf } from "../../../test/problem-paths";

type Rest = Partial<Omit<Question, "descriptors">>;

function limiterOn(options: Partial<LimiterOptions> = {}) {
  const clock = new FakeClock();
  const events: SluiceEvent[] = [];
  const recorder = { record: (event: SluiceEvent) => void events.push(event) };
  const limiter = createLimiter({ clock, random: seededRandom(1), recorder, ...options });
  /** Admits, and notes under `name` when and how that ended. */
  const log: string[] = [];
  const ask = async (name: string, question: Question) => {
    const verdict = await limiter.admit(question);
    const how = verdict.admitted ? "admitted" : verdict.rejection.reason;
    log.push(`${name} ${how} @${clock.nowMs()}`);
    return verdict;
  };
  return { clock, events, limiter, log, ask };
}

const questionOf = (limits: readonly DescriptorLimit[], rest: Rest = {}, id = "k1"): Question => ({
  descriptors: [{ kind: "api_key", id, limits }],
  ...rest,
});

function admitBy(store: Store, command: AdmitCommand) {
  if (store.admitNow === undefined) throw new Error("expected a store that answers at once");
  return store.admitNow(command);
}

/** The same store, but for what it says at once. */
function storeWith(inner: Store, admitNow: NonNullable<Store["admitNow"]>): Store {
  return {
    admitNow,
    admit: (command) => inner.admit(command),
    peek: (command) => inner.peek(command),
    settle: (command) => inner.settle(command),
    release: (command) => inner.release(command),
    renew: (command) => inner.renew(command),
    undo: (command) => inner.undo(command),
    reset: (command) => inner.reset(command),
    close: () => inner.close(),
  };
}

const slot = [concurrency({ max: 1, name: "slots" })];
const minute = [fixedWindow({ max: 2, windowMs: 60_000, name: "minute" })];
const tokens = [fixedWindow({ unit: "tokens", max: 100, windowMs: 60_000, name: "tokens" })];

async function permitOf(on: ReturnType<typeof limiterOn>, question: Question) {
  const verdict = await on.limiter.admit(question);
  if (!verdict.admitted) throw new Error(`expected a permit, was ${verdict.rejection.reason}`);
  return verdict.permit;
}

describe("a question that is ready to wait", () => {
  it("is admitted at the very instant at which its window lets it", async () => {
    const on = limiterOn();
    for (let n = 0; n < 2; n += 1) await permitOf(on, questionOf(minute));
    await on.clock.advanceAsync(10_000);
    void on.ask("a", questionOf(minute, { maxWaitMs: 50_000 }));
    await on.clock.advanceAsync(49_999);
    expect(on.log).toEqual([]);
    await on.clock.advanceAsync(1);
    expect(on.log).toEqual(["a admitted @60000"]);
    expect(on.clock.isIdle || on.limiter.stats().queued === 0).toBe(true);
  });

  it("is admitted at its last instant behind another, whichever timer is the first", async () => {
    const on = limiterOn();
    const both = [...minute, concurrency({ max: 5, name: "slots" })];
    const permits = [await permitOf(on, questionOf(both)), await permitOf(on, questionOf(both))];
    void on.ask("patient", questionOf(both, { maxWaitMs: 90_000 }));
    void on.ask("exact", questionOf(both, { maxWaitMs: 60_000 }));
    await on.clock.advanceAsync(10_000);
    await permits[0]?.release(); // they are asked for again, and in vain
    await on.clock.advanceAsync(50_000);
    expect(on.log).toEqual(["patient admitted @60000", "exact admitted @60000"]);
  });

  it("is refused at once, as without waiting, when the exact wait is longer", async () => {
    const on = limiterOn();
    for (let n = 0; n < 2; n += 1) await permitOf(on, questionOf(minute));
    const verdict = await on.limiter.admit(questionOf(minute, { maxWaitMs: 59_999 }));
    expect(verdict).toMatchObject({
      rejection: { reason: "window_exhausted", retryAfterMs: 60_000, retryable: true },
      statuses: [{ used: 2 }],
    });
    expect(on.limiter.stats()).toEqual({
      queued: 0,
      queues: 0,
      admittedAfterWait: 0,
      refusedByReason: { window_exhausted: 1 },
    });
  });

  it("is refused at once when it can never pass", async () => {
    const on = limiterOn();
    const question = questionOf(tokens, { cost: { tokens: 101 }, maxWaitMs: 60_000 });
    void on.ask("a", question);
    await on.clock.advanceAsync(0);
    expect(on.log).toEqual(["a cost_exceeds_limit @0"]);
  });

  it("gets a slot inside the turn in which it is released, before any newcomer", async () => {
    const on = limiterOn();
    const permit = await permitOf(on, questionOf(slot));
    void on.ask("waiter", questionOf(slot, { maxWaitMs: 1000 }));
    await on.clock.advanceAsync(10);
    void permit.release();
    void on.ask("patient", questionOf(slot, { maxWaitMs: 500 }));
    void on.ask("hasty", questionOf(slot));
    await on.clock.advanceAsync(0);
    expect(on.log).toContain("waiter admitted @10");
    expect(on.log.filter((line) => line.includes("admitted"))).toHaveLength(1);
    expect(on.limiter.stats().queued).toBe(1);
  });

  it("is woken by a refund and by a settlement, not only by time", async () => {
    const on = limiterOn();
    const first = await permitOf(on, questionOf(tokens, { cost: { tokens: 60 } }));
    const second = await permitOf(on, questionOf(tokens, { cost: { tokens: 40 } }));
    const rest = { cost: { tokens: 30 }, maxWaitMs: 60_000 };
    void on.ask("a", questionOf(tokens, rest));
    void on.ask("b", questionOf(tokens, rest));
    await on.clock.advanceAsync(5);
    await first.settle({ tokens: 20 });
    await on.clock.advanceAsync(0);
    expect(on.log).toEqual(["a admitted @5"]);
    await on.clock.advanceAsync(5);
    await second.refund();
    await on.clock.advanceAsync(0);
    expect(on.log).toEqual(["a admitted @5", "b admitted @10"]);
  });

  it("is woken by a reset", async () => {
    const on = limiterOn();
    for (let n = 0; n < 2; n += 1) await permitOf(on, questionOf(minute));
    void on.ask("a", questionOf(minute, { maxWaitMs: 60_000 }));
    await on.clock.advanceAsync(7);
    await on.limiter.reset(questionOf(minute));
    await on.clock.advanceAsync(0);
    expect(on.log).toEqual(["a admitted @7"]);
  });

  it("gives up when its time is over, with what the store said last beside it", async () => {
    const on = limiterOn();
    await permitOf(on, questionOf(slot));
    const asked = on.limiter.admit(questionOf(slot, { maxWaitMs: 300 }));
    await on.clock.advanceAsync(299);
    expect(on.limiter.stats()).toMatchObject({ queued: 1, queues: 1 });
    await on.clock.advanceAsync(1);
    const verdict = await asked;
    if (verdict.admitted) throw new Error("expected a refusal");
    expect(verdict).toMatchObject({
      rejection: { reason: "queue_timeout", retryable: true, violated: [{ name: "slots" }] },
      statuses: [{ name: "slots", used: 1 }],
    });
    expect(verdict.rejection.retryAfterMs).toBeGreaterThanOrEqual(750);
    expect(verdict.rejection.retryAfterMs).toBeLessThanOrEqual(1000);
    expect(on.limiter.stats()).toMatchObject({ queued: 0, queues: 0 });
  });

  it("leaves at once when its caller does, and is never given anything afterwards", async () => {
    const on = limiterOn();
    const permit = await permitOf(on, questionOf(slot));
    const leaving = new AbortController();
    void on.ask("gone", questionOf(slot, { maxWaitMs: 9000, signal: leaving.signal }));
    void on.ask("next", questionOf(slot, { maxWaitMs: 9000 }));
    await on.clock.advanceAsync(1);
    leaving.abort();
    await on.clock.advanceAsync(1);
    expect(on.log).toEqual(["gone aborted @1"]);
    await permit.release();
    await on.clock.advanceAsync(0);
    expect(on.log).toEqual(["gone aborted @1", "next admitted @2"]);
  });

  it("is asked for again when a slot may have come free elsewhere: after the jittered hint", async () => {
    const clock = new FakeClock();
    const store = memoryStore({ clock });
    const on = limiterOn({ clock, store });
    const other = createLimiter({ clock, store, random: seededRandom(2) });
    const held = await other.admit(questionOf(slot));
    let at: number | undefined;
    void on.limiter.admit(questionOf(slot, { maxWaitMs: 60_000 })).then(() => {
      at = clock.nowMs();
    });
    await clock.advanceAsync(5000);
    if (held.admitted) await held.permit.release();
    expect(at).toBeUndefined();
    await clock.advanceAsync(1000);
    expect(at).toBeGreaterThan(5000);
  });

  it("waits without asking all the time", async () => {
    const clock = new FakeClock();
    const inner = memoryStore({ clock });
    let asked = 0;
    const admitNow = (command: AdmitCommand) => {
      asked += 1;
      return admitBy(inner, command);
    };
    const store = storeWith(inner, admitNow);
    const on = limiterOn({ clock, store });
    await permitOf(on, questionOf(slot));
    for (let n = 0; n < 50; n += 1) void on.ask("a", questionOf(slot, { maxWaitMs: 60_000 }));
    asked = 0;
    await clock.advanceAsync(30_000);
    expect(asked).toBeLessThanOrEqual(40);
  });
});

describe("order", () => {
  it("is first in, first out for one limit, also past one that would not fit", async () => {
    const on = limiterOn();
    const permit = await permitOf(on, questionOf(tokens, { cost: { tokens: 100 } }));
    const wants = (amount: number) =>
      questionOf(tokens, { cost: { tokens: amount }, maxWaitMs: 60_000 });
    void on.ask("large", wants(80));
    void on.ask("small", wants(10));
    await permit.settle({ tokens: 50 });
    await on.clock.advanceAsync(0);
    expect(on.log).toEqual([]);
    await on.clock.advanceAsync(60_000);
    expect(on.log).toEqual(["large admitted @60000", "small admitted @60000"]);
  });

  it("is kept against those who do not wait: what would pass is queue_full", async () => {
    const on = limiterOn();
    const permit = await permitOf(on, questionOf(tokens, { cost: { tokens: 100 } }));
    void on.ask("large", questionOf(tokens, { cost: { tokens: 80 }, maxWaitMs: 60_000 }));
    await permit.settle({ tokens: 50 });
    await on.ask("passing", questionOf(tokens, { cost: { tokens: 10 } }));
    await on.ask("not passing", questionOf(tokens, { cost: { tokens: 60 } }));
    expect(on.log).toEqual(["passing queue_full @0", "not passing window_exhausted @0"]);
    expect((await on.limiter.peek(questionOf(tokens))).statuses[0]?.used).toBe(50);
  });

  it("is known ahead: behind one that has to wait longer there is no waiting", async () => {
    const on = limiterOn();
    for (let n = 0; n < 2; n += 1) await permitOf(on, questionOf(minute));
    void on.ask("a", questionOf(minute, { maxWaitMs: 60_000 }));
    const verdict = await on.limiter.admit(questionOf(minute, { maxWaitMs: 1000 }));
    expect(verdict).toMatchObject({
      rejection: { reason: "deadline_unreachable", retryAfterMs: 60_000, retryable: true },
    });
  });

  it("is that of one limit: others of the same caller are not held back", async () => {
    const on = limiterOn();
    await permitOf(on, questionOf(slot));
    void on.ask("slots", questionOf(slot, { maxWaitMs: 1000 }));
    await on.ask("minute", questionOf(minute));
    await on.ask("other caller", questionOf(slot, {}, "k2"));
    expect(on.log).toEqual(["minute admitted @0", "other caller admitted @0"]);
  });

  it("goes on at the end of another line when another limit refuses", async () => {
    const on = limiterOn();
    const descriptors = (id: string) => [
      { kind: "user", id, limits: slot },
      { kind: "team", id: "t", limits: [concurrency({ max: 1, name: "team" })] },
    ];
    const user = await permitOf(on, { descriptors: descriptors("u1").slice(0, 1) });
    const team = await permitOf(on, { descriptors: descriptors("u1").slice(1) });
    void on.ask("u1", { descriptors: descriptors("u1"), maxWaitMs: 9000 });
    void on.ask("u2", { descriptors: descriptors("u2"), maxWaitMs: 9000 });
    expect(on.limiter.stats()).toMatchObject({ queued: 2, queues: 2 });
    await user.release();
    await on.clock.advanceAsync(0);
    expect(on.limiter.stats()).toMatchObject({ queued: 2, queues: 1 });
    await team.release();
    await on.clock.advanceAsync(0);
    expect(on.log).toEqual(["u2 admitted @0"]);
  });
});

describe("classes of a pool", () => {
  const poolOf = (options: object = {}) => [
    priorityPool({
      windowMs: 60_000,
      capacity: { requests: 8 },
      shares: { a: 0.75, b: 0.25 },
      saturationThreshold: 1,
      ...options,
    }),
  ];

  it("take turns by their shares: 3 + 1 of the first four", async () => {
    const on = limiterOn();
    const pool = poolOf();
    for (let n = 0; n < 8; n += 1) await permitOf(on, questionOf(pool));
    for (let n = 1; n <= 4; n += 1) {
      void on.ask(`a${n}`, questionOf(pool, { priority: "a", maxWaitMs: 60_000 }));
      void on.ask(`b${n}`, questionOf(pool, { priority: "b", maxWaitMs: 60_000 }));
    }
    await on.clock.advanceAsync(60_000);
    const order = on.log.map((line) => line.slice(0, 2));
    expect(order.slice(0, 4).filter((name) => name.startsWith("a"))).toEqual(["a1", "a2", "a3"]);
    expect(order).toHaveLength(8);
  });

  it("yield: one at its share does not hold back another, and keeps its place", async () => {
    const on = limiterOn();
    const pool = poolOf({ saturationThreshold: 0, whenSaturated: "strict" });
    const ask = (priority: string) => questionOf(pool, { priority, maxWaitMs: 60_000 });
    const a: LimiterPermit[] = [];
    for (let n = 0; n < 6; n += 1) a.push(await permitOf(on, ask("a")));
    for (let n = 0; n < 2; n += 1) await permitOf(on, ask("b"));
    void on.ask("b1", ask("b"));
    void on.ask("a1", ask("a"));
    await on.clock.advanceAsync(10);
    await a[0]?.refund();
    await on.clock.advanceAsync(0);
    expect(on.log).toEqual(["a1 admitted @10"]);
    await on.clock.advanceAsync(60_000);
    expect(on.log).toEqual(["a1 admitted @10", "b1 admitted @60000"]);
  });

  it("do not stand behind each other: a class without waiters is asked for at once", async () => {
    const on = limiterOn();
    const pool = poolOf({ saturationThreshold: 0, whenSaturated: "strict" });
    for (let n = 0; n < 2; n += 1) await permitOf(on, questionOf(pool, { priority: "b" }));
    void on.ask("b", questionOf(pool, { priority: "b", maxWaitMs: 60_000 }));
    await on.ask("a", questionOf(pool, { priority: "a" }));
    expect(on.log).toEqual(["a admitted @0"]);
  });
});

describe("bounds", () => {
  it("refuse with queue_full: of one limit, and of all together", async () => {
    const on = limiterOn({ queue: { max: 3, maxPerLimit: 2 } });
    for (const id of ["k1", "k2"]) {
      await permitOf(on, questionOf(slot, {}, id));
      for (let n = 0; n < 3; n += 1) void on.ask(id, questionOf(slot, { maxWaitMs: 100 }, id));
      await on.clock.advanceAsync(0);
    }
    expect(on.log).toEqual(["k1 queue_full @0", "k2 queue_full @0", "k2 queue_full @0"]);
    expect(on.limiter.stats()).toMatchObject({ queued: 3, queues: 2 });
    await on.clock.advanceAsync(100);
    expect(on.limiter.stats()).toEqual({
      queued: 0,
      queues: 0,
      admittedAfterWait: 0,
      refusedByReason: { queue_full: 3, queue_timeout: 3 },
    });
  });

  it("of 0 let nobody wait, and leave nothing behind", async () => {
    const on = limiterOn({ queue: { max: 0 } });
    await permitOf(on, questionOf(slot));
    const verdict = await on.limiter.admit(questionOf(slot, { maxWaitMs: 100 }));
    expect(verdict).toMatchObject({
      rejection: { reason: "queue_full", violated: [{ name: "slots" }] },
      statuses: [{ used: 1 }],
    });
    expect(on.limiter.stats()).toMatchObject({ queued: 0, queues: 0 });
  });

  it.each([
    [{ queue: { max: -1 } }, ["queue.max"]],
    [{ queue: { maxPerKey: 1 } }, ["queue.maxPerKey"]],
    [{ queue: 5 }, ["queue"]],
    [{ queue: null }, ["queue"]],
  ])("%j are refused", (options, paths) => {
    expect(problemPathsOf(() => createLimiter(options as LimiterOptions))).toEqual(paths);
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "1s"])(
    "a wait of %s is refused",
    async (maxWaitMs) => {
      const on = limiterOn();
      const asked = on.limiter.admit(questionOf(slot, { maxWaitMs: maxWaitMs as number }));
      await expect(asked).rejects.toThrow(/maxWaitMs: expected an integer from 0/);
    },
  );
});

describe("R080: close", () => {
  it("refuses all who wait (draining), and the ones that run end as they do", async () => {
    const on = limiterOn();
    const running = await permitOf(on, questionOf(slot));
    for (let n = 0; n < 3; n += 1) void on.ask("waiting", questionOf(slot, { maxWaitMs: 1000 }));
    await on.clock.advanceAsync(0);
    await on.limiter.close();
    await on.clock.advanceAsync(0);
    expect(on.log).toEqual(new Array(3).fill("waiting draining @0"));
    expect(on.limiter.stats()).toMatchObject({ queued: 0, queues: 0 });
    await running.release();
    await on.ask("late", questionOf(slot, { maxWaitMs: 1000 }));
    expect(on.log.at(-1)).toBe("late store_unavailable @0");
    expect(on.clock.keepAliveTimers).toBe(0);
  });
});

it("a store that fails is told as such to those who wait, and keeps nobody", async () => {
  const clock = new FakeClock();
  const inner = memoryStore({ clock });
  let isBroken = false;
  const admitNow = (command: AdmitCommand) => {
    if (isBroken) throw new Error("broken");
    return admitBy(inner, command);
  };
  const store = storeWith(inner, admitNow);
  const on = limiterOn({ clock, store, onStoreUnavailable: "reject" });
  const permit = await permitOf(on, questionOf(slot));
  void on.ask("a", questionOf(slot, { maxWaitMs: 1000 }));
  isBroken = true;
  await permit.release();
  await clock.advanceAsync(0);
  expect(on.log).toEqual(["a store_unavailable @0"]);
  expect(on.limiter.stats()).toMatchObject({ queued: 0, queues: 0 });
});

describe("events", () => {
  it("tell when a wait begins and ends; there is one verdict per question", async () => {
    const on = limiterOn();
    const permit = await permitOf(on, questionOf(slot));
    void on.ask("a", questionOf(slot, { maxWaitMs: 1000 }));
    void on.ask("b", questionOf(slot, { maxWaitMs: 200 }));
    await on.clock.advanceAsync(250);
    await permit.release();
    await on.clock.advanceAsync(0);
    const common = { kind: "api_key", limit: "slots" };
    const [began, ended] = ["limiter_wait_began", "limiter_wait_ended"];
    const refused = { admitted: false, reason: "queue_timeout" };
    expect(on.events.filter(({ type }) => type.startsWith("limiter_wait"))).toEqual([
      { type: began, ...common, class: "default", queued: 1 },
      { type: began, ...common, class: "default", queued: 2 },
      { type: ended, ...common, ...refused, waitedMs: 200, queued: 1 },
      { type: ended, ...common, admitted: true, waitedMs: 250, queued: 0 },
    ]);
    const verdicts = on.events.filter(({ type }) => type === "verdict");
    expect(verdicts).toMatchObject([
      { admitted: true },
      { admitted: false, reason: "queue_timeout" },
      { admitted: true },
    ]);
  });
});
