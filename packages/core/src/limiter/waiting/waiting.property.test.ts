import {
  concurrency,
  createLimiter,
  fixedWindow,
  type LimiterPermit,
  memoryStore,
  type Question,
  type Store,
} from "@sluice/core";
import { FakeClock, seededRandom } from "@sluice/testing";
import fc from "fast-check";
import { describe, it } from "vitest";
import { runs } from "../../../test/runs";

const MAX = 2;

/** Nobody is asked for again by chance: whoever is missed waits until his time is over. */
const NEVER_MS = 1_000_000_000;

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("ask" as const),
      maxWaitMs: fc.constantFrom(0, 50, 400, 100_000),
      abortAfterMs: fc.constantFrom(undefined, undefined, 0, 1, 30),
      id: fc.constantFrom("a", "b"),
      isBoth: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("end" as const),
      which: fc.nat({ max: 50 }),
      how: fc.constantFrom("release" as const, "refund" as const),
    }),
  },
  fc.record({ type: fc.constant("wait" as const), ms: fc.nat({ max: 60 }) }),
);

const user = [concurrency({ max: MAX, name: "user" })];
const shared = [
  concurrency({ max: 3, name: "shared" }),
  fixedWindow({ max: 1000, windowMs: 60_000, name: "window" }),
];

function questionFor(id: string, isBoth: boolean): Question {
  const own = { kind: "user", id, limits: user };
  const team = { kind: "team", id: "t", limits: shared };
  return { descriptors: isBoth ? [own, team] : [own] };
}

/** A store that takes its time: every command and every reply is on its way for a while. */
function slowStore(inner: Store, clock: FakeClock, delayMs: () => number): Store {
  const slow =
    (name: "admit" | "peek" | "settle" | "release" | "renew" | "undo" | "reset") =>
    (command: never) =>
      new Promise((resolve, reject) => {
        clock.after(delayMs(), () => {
          inner[name](command).then(
            (reply) => void clock.after(delayMs(), () => resolve(reply)),
            reject,
          );
        });
      });
  return {
    admit: slow("admit"),
    peek: slow("peek"),
    settle: slow("settle"),
    release: slow("release"),
    renew: slow("renew"),
    undo: slow("undo"),
    reset: slow("reset"),
    close: () => inner.close(),
  } as unknown as Store;
}

interface Waiting {
  readonly question: Question;
  isSettled: boolean;
}

describe.each([
  { name: "a store that answers at once", isSlow: false },
  { name: "a store that takes up to 5 ms each way", isSlow: true },
])("waiting on $name", ({ isSlow }) => {
  it("loses no wake-up, settles everybody once, and holds nothing in the end", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.nat(), async (steps, seed) => {
        const clock = new FakeClock();
        const random = seededRandom(seed);
        const inner = memoryStore({ clock });
        const delay = () => Math.floor(random.next() * 6);
        const store = isSlow ? slowStore(inner, clock, delay) : inner;
        const limiter = createLimiter({ clock, random, store, concurrencyRetryAfterMs: NEVER_MS });
        const observer = createLimiter({ clock, random, store: inner });
        const open: LimiterPermit[] = [];
        const all: Waiting[] = [];
        const settle = async () => clock.advanceAsync(isSlow ? 60 : 0);
        const expectNobodyMissed = async () => {
          const { queued } = limiter.stats();
          const patient = all.filter(({ isSettled }) => !isSettled);
          if (queued !== patient.length) throw new Error(`${queued} queued of ${patient.length}`);
          const peeks = await Promise.all(patient.map(({ question }) => observer.peek(question)));
          // Whoever came first is behind nobody, and would have been started if it could be.
          if (peeks[0]?.admitted) throw new Error("who has waited longest could start");
        };
        for (const each of steps) {
          if (each.type === "wait") await clock.advanceAsync(each.ms);
          else if (each.type === "end") {
            const [permit] = open.splice(each.which % (open.length + 1), 1);
            void permit?.[each.how]();
          } else {
            const leaving = new AbortController();
            const { abortAfterMs, maxWaitMs } = each;
            if (abortAfterMs !== undefined) clock.after(abortAfterMs, () => leaving.abort());
            const question = questionFor(each.id, each.isBoth);
            const waiting = { question, isSettled: false };
            all.push(waiting);
            void limiter
              .admit({ ...question, maxWaitMs, signal: leaving.signal })
              .then((verdict) => {
                if (waiting.isSettled) throw new Error("settled twice");
                waiting.isSettled = true;
                if (verdict.admitted) open.push(verdict.permit);
              });
          }
          if (random.next() < 0.5) continue;
          await settle();
          await expectNobodyMissed();
        }
        await settle();
        for (let round = 0; round <= steps.length && open.length > 0; round += 1) {
          for (const permit of open.splice(0)) void permit.release();
          await settle();
        }
        await clock.advanceAsync(200_000);
        if (all.some(({ isSettled }) => !isSettled)) throw new Error("somebody was never answered");
        const { queued, queues } = limiter.stats();
        if (queued + queues + limiter.heldLeases > 0) throw new Error("something is left");
        for (const id of ["a", "b"]) {
          const { statuses } = await observer.peek(questionFor(id, true));
          for (const { name, used } of statuses) {
            if (name !== "window" && used > 0) throw new Error(`${used} of ${name} are taken`);
          }
        }
      }),
      runs(isSlow ? 60 : 120),
    );
  });
});
