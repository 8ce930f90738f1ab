import {
  concurrency,
  createLimiter,
  type DescriptorLimit,
  fixedWindow,
  type LimiterPermit,
  memoryStore,
  priorityPool,
  type Store,
} from "@sluice/core";
import { FakeClock, seededRandom } from "@sluice/testing";
import fc from "fast-check";
import { describe, it } from "vitest";
import { runs } from "../../../test/runs";

const classes = ["high", "low"] as const;
type ClassName = (typeof classes)[number];

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("ask" as const),
      of: fc.constantFrom(...classes),
      cost: fc.integer({ min: 1, max: 4 }),
      maxWaitMs: fc.constantFrom(0, 20, 300, 100_000),
      abortAfterMs: fc.constantFrom(undefined, undefined, undefined, 5),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("end" as const),
      which: fc.nat({ max: 50 }),
      how: fc.constantFrom("release" as const, "refund" as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("wait" as const), ms: fc.nat(15) }) },
);

/** Limits of one kind each: there is one line, and what counts is the order in it. */
const limitsOf: Readonly<Record<string, readonly DescriptorLimit[]>> = {
  window: [fixedWindow({ max: 5, windowMs: 100 })],
  slots: [concurrency({ max: 2 })],
  pool: [
    priorityPool({
      windowMs: 100,
      capacity: { requests: 8 },
      shares: { high: 0.75, low: 0.25 },
      whenSaturated: "strict",
    }),
  ],
};

/** Commands and replies are on their way for `legMs` each, and arrive in the order of sending. */
function pipelined(inner: Store, clock: FakeClock, legMs: number): Store {
  const later =
    (name: "admit" | "peek" | "settle" | "release" | "renew" | "undo" | "reset") =>
    (command: never) =>
      new Promise((resolve, reject) => {
        clock.after(legMs, () => {
          inner[name](command).then(
            (reply) => void clock.after(legMs, () => resolve(reply)),
            reject,
          );
        });
      });
  return {
    admit: later("admit"),
    peek: later("peek"),
    settle: later("settle"),
    release: later("release"),
    renew: later("renew"),
    undo: later("undo"),
    reset: later("reset"),
    close: () => inner.close(),
  } as unknown as Store;
}

interface Asked {
  readonly of: ClassName;
  readonly number: number;
  readonly atMs: number;
  readonly waits: boolean;
  isSettled: boolean;
}

describe.each(Object.keys(limitsOf))("the line of a limit (%s)", (kind) => {
  it.each([
    { where: "answers at once", legMs: 0 },
    { where: "is 3 ms away", legMs: 3 },
  ])("is first in, first out inside a class on a store that $where", async ({ legMs }) => {
    const limits = limitsOf[kind] ?? [];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.nat(), async (steps, seed) => {
        const clock = new FakeClock();
        const inner = memoryStore({ clock });
        const store = legMs === 0 ? inner : pipelined(inner, clock, legMs);
        const limiter = createLimiter({
          clock,
          store,
          random: seededRandom(seed),
          concurrencyRetryAfterMs: 40,
        });
        const open: LimiterPermit[] = [];
        const all: Asked[] = [];
        /** Whether it waits at an instant, so that whoever is asked for then is behind it. */
        const isKnownToWait = (each: Asked, nowMs: number) =>
          each.waits && !each.isSettled && nowMs - each.atMs > 2 * legMs;
        const onAdmitted = (asked: Asked) => {
          const nowMs = clock.nowMs();
          // With a store that is away, two that were asked for at once know nothing of each other.
          const hasWaited = legMs === 0 || nowMs - asked.atMs > 2 * legMs;
          const passed = all.find(
            (each) =>
              each.of === asked.of &&
              each.number < asked.number &&
              isKnownToWait(each, hasWaited ? nowMs + 1 : asked.atMs),
          );
          if (passed === undefined) return;
          throw new Error(`${asked.number} (at ${asked.atMs}) passed ${passed.number} @${nowMs}`);
        };
        let failure: unknown;
        for (const each of steps) {
          if (each.type === "wait") await clock.advanceAsync(each.ms);
          else if (each.type === "end") {
            const [permit] = open.splice(each.which % (open.length + 1), 1);
            void permit?.[each.how]();
          } else {
            const leaving = new AbortController();
            const { of, maxWaitMs, abortAfterMs } = each;
            if (abortAfterMs !== undefined) clock.after(abortAfterMs, () => leaving.abort());
            const asked: Asked = {
              of,
              number: all.length,
              atMs: clock.nowMs(),
              waits: maxWaitMs > 0,
              isSettled: false,
            };
            all.push(asked);
            const question = {
              descriptors: [{ kind: "team", id: "t", limits }],
              priority: of,
              cost: { requests: each.cost },
              maxWaitMs,
              signal: leaving.signal,
            };
            limiter
              .admit(question)
              .then((verdict) => {
                asked.isSettled = true;
                if (!verdict.admitted) return;
                open.push(verdict.permit);
                onAdmitted(asked);
              })
              .catch((error: unknown) => {
                failure ??= error;
              });
          }
          if (legMs === 0) await clock.advanceAsync(0);
        }
        for (let round = 0; round < 200 && all.some((each) => !each.isSettled); round += 1) {
          for (const permit of open.splice(0)) void permit.release();
          await clock.advanceAsync(600);
        }
        if (failure !== undefined) throw failure;
        if (all.some((each) => !each.isSettled)) throw new Error("somebody was never answered");
        await limiter.close();
      }),
      runs(100),
    );
  });
});
