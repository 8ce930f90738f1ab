import { execFile } from "node:child_process";
import { promisify } from "node:util";
import {
  concurrency,
  createGate,
  createLimiter,
  fixedWindow,
  InvalidOptionsError,
  memoryStore,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "@sluice/core";
import { FakeClock } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { setStage, startsMs } from "../stage";
import { expectAdmitted } from "../verdicts";
import { expectAttempts, questionOf } from "./attempts";

const DAY_MS = 86_400_000;

/** Delays that overflow the timers of the runtime. */
const longMs = [2_147_483_648, 30 * DAY_MS, 365 * DAY_MS, 1_000_000_000_000];

describe.each(startsMs)("R061: a duration beyond 32 bits, from instant %d", (startMs) => {
  it.each(longMs)("of %d ms is that long as a window", async (windowMs) => {
    const on = setStage({ startMs });
    for (const limit of [
      fixedWindow({ max: 5, windowMs }),
      fixedWindow({ name: "epoch", max: 5, windowMs, anchor: "epoch" }),
      slidingWindow({ max: 5, windowMs, buckets: 8 }),
      slidingLog({ max: 5, windowMs }),
      tokenBucket({ capacity: 5, refill: 1, perMs: windowMs }),
    ]) {
      await expectAttempts(
        on,
        [limit],
        [
          [0, 1, 200],
          [0, 1, 200],
          [0, 1, 200],
          [0, 1, 200],
          [0, 1, 200],
          [0, 1, 429],
          [50, 1, 429],
        ],
      );
    }
  });

  it.each(longMs)("of %d ms is that long as a lease", async (leaseMs) => {
    const on = setStage({ startMs });
    const limits = [concurrency({ max: 1, leaseMs })];
    const doomed = on.openProcess();
    expectAdmitted(await doomed.admit(questionOf(limits)));
    await doomed.close();
    await expectAttempts(on, limits, [
      [0, 1, 429],
      [50, 1, 429],
      [leaseMs - 1, 1, 429],
      [leaseMs, 1, 200],
    ]);
    await on.limiter.close();
  });

  it.each(longMs)("of %d ms is that long as the time-out of a queue", async (timeoutMs) => {
    const clock = new FakeClock({ startMs });
    const gate = createGate({ clock, maxInFlight: 1, queue: { max: 1, timeoutMs } });
    expect((await gate.enter()).admitted).toBe(true);
    const waiting = gate.enter();
    await clock.advanceAsync(timeoutMs - 1);
    expect(gate.stats().queued).toBe(1);
    await clock.advanceAsync(1);
    expect(await waiting).toMatchObject({ rejection: { reason: "queue_timeout" } });
  });
});

describe("R061: a duration of Infinity", () => {
  it("is refused at construction, everywhere", () => {
    const never = Number.POSITIVE_INFINITY;
    for (const make of [
      () => fixedWindow({ max: 5, windowMs: never }),
      () => slidingWindow({ max: 5, windowMs: never }),
      () => slidingLog({ max: 5, windowMs: never }),
      () => tokenBucket({ capacity: 5, refill: 1, perMs: never }),
      () => concurrency({ max: 1, leaseMs: never }),
      () => concurrency({ max: 1, maxHoldMs: never }),
      () => createGate({ maxInFlight: 1, queue: { timeoutMs: never } }),
      () => createLimiter({ storeUnavailableRetryAfterMs: never }),
    ]) {
      expect(make).toThrow(InvalidOptionsError);
    }
  });
});

describe("R062: timers", () => {
  const limits = [
    fixedWindow({ max: 100, windowMs: 60_000 }),
    concurrency({ max: 100, leaseMs: 10_000, maxHoldMs: 20_000 }),
  ];

  it("are none before the first question, and none after close, 1 000 times over", async () => {
    const clock = new FakeClock();
    for (let cycle = 0; cycle < 1_000; cycle += 1) {
      const limiter = createLimiter({ clock });
      expect(clock.pendingTimers).toBe(0);
      const open = expectAdmitted(await limiter.admit(questionOf(limits)));
      const closed = expectAdmitted(await limiter.admit(questionOf(limits)));
      await closed.release();
      expect(clock.pendingTimers).toBeGreaterThan(0);
      if (cycle % 100 === 0) await clock.advanceAsync(15_000);
      await limiter.close();
      expect(clock.pendingTimers).toBe(0);
      await open.release();
      expect(clock.pendingTimers).toBe(0);
    }
  });

  it("are none after close, also for permits that are held too long", async () => {
    const clock = new FakeClock();
    const limiter = createLimiter({ clock });
    expectAdmitted(await limiter.admit(questionOf(limits)));
    await clock.advanceAsync(21_000);
    expect(clock.pendingTimers).toBeGreaterThan(0);
    await limiter.close();
    expect(clock.pendingTimers).toBe(0);
  });

  it("are one for a store, however many keys it has and limiters share it", async () => {
    const clock = new FakeClock();
    const store = memoryStore({ clock });
    const [one, other] = [createLimiter({ store, clock }), createLimiter({ store, clock })];
    const counters = limits.slice(0, 1);
    for (let key = 0; key < 100; key += 1) {
      await one.admit(questionOf(counters, `key-${key}`));
      await other.admit(questionOf(counters, `key-${key}`));
    }
    expect(clock.pendingTimers).toBe(1);
    await one.close();
    expect(clock.pendingTimers).toBe(1);
    expect((await other.peek(questionOf(counters, "key-0"))).statuses).toMatchObject([{ used: 2 }]);
    await other.close();
    await store.close();
    expect(clock.pendingTimers).toBe(0);
  });

  it("are one for all slots of a limiter, and none when the last is back", async () => {
    const clock = new FakeClock();
    const store = memoryStore({ clock: new FakeClock() });
    const limiter = createLimiter({ store, clock });
    const slots = limits.slice(1);
    const permits = [];
    for (let slot = 0; slot < 50; slot += 1) {
      permits.push(expectAdmitted(await limiter.admit(questionOf(slots, `key-${slot}`))));
    }
    expect(clock.pendingTimers).toBe(1);
    for (const permit of permits) await permit.release();
    expect(clock.pendingTimers).toBe(0);
    await limiter.close();
  });

  it("are given up by a gate with its waiters, 1 000 times over", async () => {
    const clock = new FakeClock();
    for (let cycle = 0; cycle < 1_000; cycle += 1) {
      const gate = createGate({ clock, maxInFlight: 1 });
      const verdict = await gate.enter();
      const waiting = gate.enter();
      const drained = gate.drain();
      expect((await waiting).admitted).toBe(false);
      if (verdict.admitted) verdict.permit.end();
      await drained;
      expect(clock.pendingTimers).toBe(0);
    }
  });
});

// What only a process can show. The time-outs of `run` end a process that does not exit by itself.
describe("R062 in a process of its own", { timeout: 60_000 }, () => {
  it("exits by itself after a limiter and a gate were used and not closed", async () => {
    const { stdout, stderr } = await run(`
      const limiter = core.createLimiter();
      const limits = [
        core.fixedWindow({ max: 5, windowMs: 3_600_000 }),
        core.concurrency({ max: 5, leaseMs: 3_600_000 }),
      ];
      const question = { descriptors: [{ kind: "key", id: "k", limits }] };
      console.log((await limiter.admit(question)).admitted);
      const gate = core.createGate({ maxInFlight: 1, queue: { max: 1, timeoutMs: 3_600_000 } });
      console.log((await gate.enter()).admitted);
    `);
    expect(stdout).toBe("true\ntrue\n");
    expect(stderr).toBe("");
  });

  it("stays until a queued caller has its answer", async () => {
    const { stdout, stderr } = await run(`
      const gate = core.createGate({ maxInFlight: 1, queue: { max: 1, timeoutMs: 50 } });
      await gate.enter();
      console.log((await gate.enter()).rejection.reason);
    `);
    expect(stdout).toBe("queue_timeout\n");
    expect(stderr).toBe("");
  });

  it("R061: counts windows and leases beyond 32 bits without a warning", async () => {
    const { stdout, stderr } = await run(`
      const limiter = core.createLimiter();
      const ask = (windowMs, id) => {
        const limits = [
          core.fixedWindow({ max: 5, windowMs }),
          core.concurrency({ max: 100, leaseMs: windowMs }),
        ];
        return limiter.admit({ descriptors: [{ kind: "key", id, limits }] });
      };
      for (const windowMs of ${JSON.stringify(longMs)}) {
        const id = String(windowMs);
        const admitted = [];
        for (let hit = 0; hit < 6; hit += 1) admitted.push((await ask(windowMs, id)).admitted);
        await new Promise((resolve) => setTimeout(resolve, 50));
        admitted.push((await ask(windowMs, id)).admitted);
        console.log(admitted.map(Number).join(""));
      }
    `);
    expect(stdout).toBe("1111100\n".repeat(longMs.length));
    expect(stderr).toBe("");
  });

  it("leaves no timer and no growth behind in 1 000 cycles of creating and closing", async () => {
    const { stdout, stderr } = await run(
      `
      const limits = [
        core.fixedWindow({ max: 5, windowMs: 3_600_000 }),
        core.concurrency({ max: 5, leaseMs: 3_600_000 }),
      ];
      const cycle = async () => {
        const store = core.memoryStore();
        const shared = core.createLimiter({ store });
        const own = core.createLimiter();
        for (const limiter of [shared, own]) {
          const question = { descriptors: [{ kind: "key", id: "k", limits }] };
          const closed = await limiter.admit(question);
          const left = await limiter.admit(question);
          await closed.permit.release();
          if (!left.admitted) throw new Error("expected to be admitted");
        }
        const gate = core.createGate({ maxInFlight: 1 });
        const { permit } = await gate.enter();
        const waiting = gate.enter();
        const drained = gate.drain();
        await waiting;
        permit.end();
        await drained;
        await shared.close();
        await own.close();
        await store.close();
      };
      const heapBytes = () => {
        for (let times = 0; times < 3; times += 1) gc();
        return process.memoryUsage().heapUsed;
      };
      for (let count = 0; count < 200; count += 1) await cycle();
      const before = heapBytes();
      for (let count = 0; count < 1_000; count += 1) await cycle();
      const grownBytes = heapBytes() - before;
      console.log(JSON.stringify({ timers: timers.size, grownBytes }));
    `,
      ["--expose-gc"],
    );
    expect(stderr).toBe("");
    const { timers, grownBytes } = JSON.parse(stdout) as { timers: number; grownBytes: number };
    expect(timers).toBe(0);
    // One leaked store or limiter per cycle is a hundred megabytes; one leaked closure 100 kB.
    expect(grownBytes).toBeLessThan(1_000_000);
  });
});

/**
 * Runs a script that may use `core`, and `timers`, the timers that are pending, and waits for the
 * process to exit by itself.
 */
async function run(
  script: string,
  flags: readonly string[] = [],
): Promise<{ stdout: string; stderr: string }> {
  const coreModule = new URL("../../src/index.ts", import.meta.url).href;
  const source = `
    const timers = new Set();
    const { setTimeout: arm, clearTimeout: disarm } = globalThis;
    globalThis.setTimeout = (fn, delayMs) => {
      const timer = arm(() => { timers.delete(timer); fn(); }, delayMs);
      timers.add(timer);
      return timer;
    };
    globalThis.clearTimeout = (timer) => { timers.delete(timer); disarm(timer); };
    const core = await import(${JSON.stringify(coreModule)});
    ${script}
  `;
  const loader = ["--import", import.meta.resolve("tsx"), "--input-type=module"];
  return promisify(execFile)(process.execPath, [...flags, ...loader, "--eval", source], {
    timeout: 45_000,
    env: {},
  });
}
