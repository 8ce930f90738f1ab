import { type PriorityPoolLimit, priorityPool } from "@sluice/core";
import { anyPriorityPool, poolClasses } from "@sluice/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CheckReply } from "../../src/engine/reply";
import type { Reservation } from "../../src/limiter/reservation";
import { runs } from "../runs";
import { NaivePool } from "./naive-pool";
import { PoolPlay } from "./pool-play";

const START_MS = 1_000;

const anyClass = fc.constantFrom(...poolClasses, "default");

/** One thing that happens to a pool: of which costs, and how long after the one before. */
const anyStep = (costMax: number, afterMs: fc.Arbitrary<number>) =>
  fc.record({
    afterMs,
    priority: anyClass,
    requests: fc.oneof(fc.constant(1), fc.nat({ max: costMax })),
    tokens: fc.nat({ max: costMax }),
    /** Settles an earlier question instead of asking: which, counted from the latest. */
    settles: fc.option(fc.nat({ max: 4 }), { nil: undefined, freq: 2 }),
  });

/** What is played on the naive pool: any pools, and long windows in which much is given back. */
const plays = {
  "any pool": {
    pools: anyPriorityPool({ size: "small", modes: ["enforce", "shadow"] }),
    step: anyStep(
      9,
      fc.oneof(
        { weight: 5, arbitrary: fc.constant(0) },
        { weight: 3, arbitrary: fc.nat({ max: 4 }) },
        { weight: 1, arbitrary: fc.nat({ max: 60 }) },
      ),
    ),
  },
  "a pool that lends in a long window": {
    pools: fc
      .constantFrom(0, 0.1, 0.35)
      .chain((saturationThreshold) =>
        anyPriorityPool({
          ...{ size: "small", maxAtLeast: 14, whenSaturated: "lend" },
          saturationThreshold,
        }),
      )
      .filter(({ windowMs }) => windowMs >= 20),
    step: anyStep(4, fc.constantFrom(0, 0, 0, 1)),
  },
} as const;

interface Held {
  readonly reservation: Reservation;
  readonly priority: string;
  readonly cost: Readonly<Record<string, number>>;
  readonly openedMs: number | undefined;
  isSettled: boolean;
}

/** The naive pools of all units: they have one window. */
class NaivePools {
  readonly #units: readonly (readonly [string, NaivePool])[];

  constructor(pool: PriorityPoolLimit) {
    const names = Object.keys(pool.capacity).sort();
    this.#units = names.map((unit) => [unit, new NaivePool(pool, unit)]);
  }

  get openedMs(): number | undefined {
    return this.#units[0]?.[1].openedMs;
  }

  each<T>(visit: (unit: NaivePool, name: string) => T): T[] {
    return this.#units.map(([name, unit]) => visit(unit, name));
  }

  open(nowMs: number): void {
    this.each((unit) => {
      unit.openedMs ??= nowMs;
    });
  }
}

describe("A pool", () => {
  it.each(Object.entries(plays))("says what its rule says in exact fractions: %s", (_, played) => {
    const { pools, step } = played;
    const steps = fc.array(step, { minLength: 1, maxLength: 40, size: "max" });
    fc.assert(
      fc.property(pools, steps, (pool, all) => {
        const play = new PoolPlay(pool);
        const naive = new NaivePools(pool);
        const held: Held[] = [];
        let nowMs = START_MS;
        for (const { afterMs, priority, requests, tokens, settles } of all) {
          nowMs += afterMs;
          naive.each((unit) => unit.moveTo(nowMs));
          const about = settles === undefined ? undefined : held.at(-1 - settles);
          const cost = { requests, tokens };
          if (about !== undefined) settle(play, naive, about, cost, nowMs);
          else ask(pool, play, naive, held, { priority, cost }, nowMs);
        }
      }),
      runs(250),
    );
  });

  it("never holds more than its capacity, and keeps its promise to a class that comes late", () => {
    for (const saturationThreshold of [0, 0.1, 0.5, 0.8]) {
      const pools = anyPriorityPool({
        ...{ size: "small", units: ["requests"], whenSaturated: "lend" },
        ...{ maxAtLeast: 30, saturationThreshold },
      });
      const asked = fc.array(
        fc.record({ at: fc.nat({ max: 99 }), priority: anyClass, count: fc.nat({ max: 12 }) }),
        { maxLength: 8, size: "max" },
      );
      fc.assert(
        fc.property(pools, asked, fc.nat({ max: 99 }), anyClass, (pool, mix, lateAt, late) => {
          const { windowMs, capacity } = pool;
          const max = capacity.requests as number;
          const at = (hundredths: number) => START_MS + Math.floor((hundredths * windowMs) / 100);
          const play = new PoolPlay(pool);
          let total = 0;
          // The window opens with the first of them.
          const [first = lateAt] = mix.map((each) => each.at).sort((a, b) => a - b);
          const before = mix.filter(
            (each) => each.at <= lateAt && classIn(pool, each.priority) !== classIn(pool, late),
          );
          for (const { at: when, priority, count } of before.sort((a, b) => a.at - b.at)) {
            total += play.admitMany(at(when), priority, count);
          }
          const opened =
            before.length === 0 ? lateAt : Math.min(first, ...before.map((each) => each.at));
          const elapsedMs = at(lateAt) - at(opened);
          const promised = new NaivePool(pool, "requests").promise(classIn(pool, late), elapsedMs);
          const found = play.admitMany(at(lateAt), late, max + 1);
          expect(found).toBeGreaterThanOrEqual(promised);
          expect(total + found).toBeLessThanOrEqual(max);
        }),
        runs(3_000),
      );
    }
  }, 300_000);

  it("leaves nothing unused: whoever asks at the end of the window gets all that is left", () => {
    const pools = anyPriorityPool({ size: "small", units: ["requests"], whenSaturated: "lend" });
    const mixes = fc.array(fc.tuple(anyClass, fc.nat({ max: 5 })), { maxLength: 5 });
    fc.assert(
      fc.property(pools, mixes, anyClass, (pool, mix, last) => {
        const { windowMs, capacity } = pool;
        const max = capacity.requests as number;
        // As long a window as there are units: at its end no claim is left.
        fc.pre(windowMs > max);
        const play = new PoolPlay(pool);
        let total = play.admitMany(START_MS, last, 1);
        for (const [priority, count] of mix) total += play.admitMany(START_MS, priority, count);
        const atEnd = play.admitMany(START_MS + windowMs - 1, last, max);
        expect(total + atEnd).toBe(max);
      }),
      runs(300),
    );
  });

  it("with threshold 0 gives each class its share within 1, if all want a little more", () => {
    const shares = fc
      .array(fc.integer({ min: 5, max: 60 }), { minLength: 2, maxLength: 3 })
      .filter((all) => all.reduce((sum, each) => sum + each, 0) <= 95)
      .map((all) => [...all, 100 - all.reduce((sum, each) => sum + each, 0)]);
    const times = fc.array(fc.integer({ min: 105, max: 500 }), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(shares, times, (hundredths, demands) => {
        const names = hundredths.map((_, place) => `class-${place}`);
        const pool = priorityPool({
          ...{ capacity: { requests: 100 }, windowMs: 60_000, saturationThreshold: 0 },
          shares: Object.fromEntries(names.map((name, at) => [name, (hundredths[at] ?? 0) / 100])),
        });
        const arrivals = names.flatMap((name, at) => {
          const count = Math.ceil(((hundredths[at] ?? 0) * (demands[at] ?? 0)) / 100);
          return Array.from({ length: count }, (_, index) => ({
            name,
            at: Math.floor((index * 60_000) / count),
          }));
        });
        const play = new PoolPlay(pool);
        const admitted = new Map<string, number>();
        for (const { name, at } of arrivals.sort((a, b) => a.at - b.at)) {
          const more = play.admitMany(START_MS + at, name, 1);
          admitted.set(name, (admitted.get(name) ?? 0) + more);
        }
        for (const [at, name] of names.entries()) {
          expect(Math.abs((admitted.get(name) ?? 0) - (hundredths[at] ?? 0))).toBeLessThanOrEqual(
            1,
          );
        }
      }),
      runs(300),
    );
  });
});

/** The class that a priority means. */
function classIn(pool: PriorityPoolLimit, priority: string): string {
  return pool.classes.includes(priority) ? priority : "default";
}

function ask(
  pool: PriorityPoolLimit,
  play: PoolPlay,
  naive: NaivePools,
  held: Held[],
  { priority, cost }: { priority: string; cost: Readonly<Record<string, number>> },
  nowMs: number,
): void {
  const name = classIn(pool, priority);
  const units = (unit: string) => cost[unit] as number;
  const waits = naive.each((unit, of) => ({
    isNever: unit.neverPasses(name, units(of)),
    waitMs: unit.waitMs(name, units(of), nowMs),
  }));
  const isAdmitted = waits.every(({ waitMs }) => waitMs === 0);
  const isReported = pool.mode === "shadow";
  if (isAdmitted) {
    if (naive.each((_, of) => units(of)).some((each) => each > 0)) naive.open(nowMs);
    naive.each((unit, of) => {
      if (units(of) > 0) unit.charge(name, units(of), nowMs);
    });
  } else if (waits.some(({ isNever, waitMs }) => !isNever && waitMs !== 0)) {
    naive.open(nowMs);
  }
  const { admitted, checks, reservation } = play.admit(nowMs, priority, cost);
  expect(admitted).toBe(isAdmitted || isReported);
  const seen = checks.map(({ passes, retryAfterMs, used, classUsed }: CheckReply) => ({
    ...{ passes, retryAfterMs, used, classUsed },
  }));
  expect(seen).toEqual(
    naive.each((unit, of) => {
      const { waitMs } = waits[Object.keys(pool.capacity).sort().indexOf(of)] ?? {};
      const retryAfterMs = waitMs === 0 ? undefined : waitMs;
      return { passes: waitMs === 0, retryAfterMs, used: unit.used, classUsed: unit.usedBy(name) };
    }),
  );
  if (!admitted) return;
  const openedMs = isAdmitted ? naive.openedMs : undefined;
  held.push({ reservation, priority: name, cost, openedMs, isSettled: false });
}

/**
 * A refund goes into the window that was charged; more is charged to that, or to the current one.
 */
function settle(
  play: PoolPlay,
  naive: NaivePools,
  about: Held,
  actual: Readonly<Record<string, number>>,
  nowMs: number,
): void {
  if (about.isSettled) return;
  about.isSettled = true;
  play.settle(nowMs, about.reservation, actual);
  // A shadow pool that would have refused charged nothing and is owed nothing.
  if (about.reservation.checks.some(({ passes }) => !passes)) return;
  naive.each((unit, of) => {
    const by = (actual[of] as number) - (about.cost[of] as number);
    if (by > 0) {
      naive.open(nowMs);
      unit.charge(about.priority, by, nowMs);
    } else if (by < 0 && naive.openedMs === about.openedMs) {
      unit.refund(about.priority, -by);
    }
  });
}
