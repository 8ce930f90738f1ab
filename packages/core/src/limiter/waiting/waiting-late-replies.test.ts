import {
  concurrency,
  createLimiter,
  type LimiterPermit,
  memoryStore,
  type Question,
  type Store,
} from "@sluice/core";
import { FakeClock, seededRandom } from "@sluice/testing";
import { describe, expect, it } from "vitest";

const HINT_MS = 1000;

const question: Question = {
  descriptors: [{ kind: "team", id: "t", limits: [concurrency({ max: 1 })] }],
};

/** A store that executes at once, and whose replies arrive when a test says so. */
function storeByHand(inner: Store) {
  const replies: (() => void)[] = [];
  const held =
    (name: "admit" | "release" | "settle" | "peek") =>
    (command: never): Promise<unknown> =>
      new Promise((resolve, reject) => {
        inner[name](command).then((reply) => void replies.push(() => resolve(reply)), reject);
      });
  const store = {
    admit: held("admit"),
    release: held("release"),
    settle: held("settle"),
    peek: held("peek"),
    renew: (command: never) => inner.renew(command),
    undo: (command: never) => inner.undo(command),
    reset: (command: never) => inner.reset(command),
    close: () => inner.close(),
  } as unknown as Store;
  return { store, replies };
}

/** A limiter whose only slot is taken, and another one on the same store. */
async function stage() {
  const clock = new FakeClock();
  const inner = memoryStore({ clock });
  const { store, replies } = storeByHand(inner);
  const ports = { clock, random: seededRandom(1), concurrencyRetryAfterMs: HINT_MS };
  const limiter = createLimiter({ ...ports, store });
  const other = createLimiter({ ...ports, store: inner });
  /** Lets everything happen that needs no reply. */
  const settle = async () => clock.advanceAsync(0);
  const next = () => {
    const reply = replies.shift();
    if (reply === undefined) throw new Error("expected a reply that is under way");
    reply();
  };
  const log: string[] = [];
  const ask = async (name: string) => {
    void limiter.admit({ ...question, maxWaitMs: 60_000 }).then(({ admitted }) => {
      log.push(`${name} ${admitted ? "admitted" : "refused"}`);
    });
    await settle();
  };
  const first = limiter.admit(question);
  await settle();
  next();
  const verdict = await first;
  if (!verdict.admitted) throw new Error("expected a free slot");
  return { clock, permit: verdict.permit, other, replies, settle, next, ask, log };
}

async function takenBy(other: Awaited<ReturnType<typeof stage>>["other"]): Promise<LimiterPermit> {
  const verdict = await other.admit(question);
  if (!verdict.admitted) throw new Error("expected a free slot");
  return verdict.permit;
}

describe("replies that meet", () => {
  it.each(Array.from({ length: 12 }, (_, gap) => ({ gap })))(
    "lose no wake-up: a slot is free $gap reactions after the refusal is known",
    async ({ gap }) => {
      const { clock, permit, replies, settle, next, ask, log } = await stage();
      await ask("a"); // refused there
      void permit.release(); // freed there, after that
      await settle();
      next();
      for (let reaction = 0; reaction < gap; reaction += 1) await Promise.resolve();
      next();
      for (let turn = 0; turn < 3; turn += 1) {
        await settle();
        for (const reply of replies.splice(0)) reply();
      }
      await settle();
      expect([log, clock.nowMs()]).toEqual([["a admitted"], 0]);
    },
  );

  it("keep the order of those whose refusal was out of date", async () => {
    const { clock, permit, other, replies, settle, next, ask, log } = await stage();
    void permit.release();
    await settle();
    const elsewhere = await takenBy(other);
    await ask("a"); // refused there, while word of the release is under way
    next(); // word of the release
    await settle();
    await ask("b"); // refused there
    next(); // the refusal of a, which is older than that word
    await settle();
    for (let turn = 0; turn < 3; turn += 1) {
      for (const reply of replies.splice(0)) reply();
      await settle();
    }
    await elsewhere.release();
    await clock.advanceAsync(HINT_MS);
    for (let turn = 0; turn < 3; turn += 1) {
      for (const reply of replies.splice(0)) reply();
      await settle();
    }
    expect(log).toEqual(["a admitted"]);
  });
});
