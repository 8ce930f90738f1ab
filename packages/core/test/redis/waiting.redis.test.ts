import {
  concurrency,
  createLimiter,
  fixedWindow,
  type Limiter,
  type LimiterPermit,
  type Question,
} from "@sluice/core";
import { afterEach, describe, expect, it } from "vitest";
import { openRedisStore } from "./open-redis-store";

const run = `${process.pid}-${Date.now()}`;
let prefixes = 0;

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

/** Two processes on one server: two stores, two limiters. */
async function openTwo(
  client: "ioredis 6, single" | "redis 6, cluster",
): Promise<[Limiter, Limiter]> {
  prefixes += 1;
  const prefix = `waiting-${run}-${prefixes}-`;
  const open = async () => {
    const store = await openRedisStore(client, { prefix });
    const options = { store, onStoreUnavailable: "reject", concurrencyRetryAfterMs: 100 } as const;
    const limiter = createLimiter(options);
    opened.push(store, limiter);
    return limiter;
  };
  return [await open(), await open()];
}

async function permitOf(limiter: Limiter, question: Question): Promise<LimiterPermit> {
  const verdict = await limiter.admit(question);
  if (!verdict.admitted) throw new Error(`expected a permit, was ${verdict.rejection.reason}`);
  return verdict.permit;
}

const patience = { maxWaitMs: 20_000 };
const slot: Question = {
  descriptors: [{ kind: "api_key", id: "k1", limits: [concurrency({ max: 1, name: "slot" })] }],
};

describe.each(["ioredis 6, single", "redis 6, cluster"] as const)("Waiting on %s", (client) => {
  it("hands a slot on in the order of coming, one at a time", async () => {
    const [limiter] = await openTwo(client);
    const held = await permitOf(limiter, slot);
    const order: number[] = [];
    let running = 0;
    const jobs = Array.from({ length: 20 }, async (_, index) => {
      const permit = await permitOf(limiter, { ...slot, ...patience });
      order.push(index);
      running += 1;
      expect(running).toBe(1);
      await Promise.resolve();
      running -= 1;
      await permit.release();
    });
    await held.release();
    await Promise.all(jobs);
    expect(order.slice().sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(limiter.stats()).toMatchObject({ queued: 0, queues: 0 });
    expect(limiter.heldLeases).toBe(0);
  });

  it("notices what another process gives back", async () => {
    const [limiter, other] = await openTwo(client);
    const held = await permitOf(other, slot);
    const waiting = permitOf(limiter, { ...slot, ...patience });
    await expect.poll(() => limiter.stats().queued).toBe(1);
    await held.release();
    await (await waiting).release();
    expect(limiter.stats()).toMatchObject({ queued: 0, admittedAfterWait: 1 });
  });

  it("lets two processes share a window as it opens, and never more than there is", async () => {
    const [one, two] = await openTwo(client);
    const limits = [fixedWindow({ max: 5, windowMs: 400, anchor: "epoch", name: "window" })];
    const question = { descriptors: [{ kind: "api_key", id: "k2", limits }], ...patience };
    const asked = [one, two].flatMap((limiter) =>
      Array.from({ length: 15 }, async () => {
        const { statuses, admitted } = await limiter.admit(question);
        return { admitted, used: statuses[0]?.used ?? 0 };
      }),
    );
    const answers = await Promise.all(asked);
    expect(answers.every(({ admitted }) => admitted)).toBe(true);
    expect(Math.max(...answers.map(({ used }) => used))).toBe(5);
  });

  it("gives back what was admitted to a caller that left meanwhile", async () => {
    const [limiter, other] = await openTwo(client);
    const held = await permitOf(limiter, slot);
    const leaving = new AbortController();
    const asked = limiter.admit({ ...slot, ...patience, signal: leaving.signal });
    await expect.poll(() => limiter.stats().queued).toBe(1);
    const released = held.release();
    leaving.abort();
    expect(await asked).toMatchObject({ rejection: { reason: "aborted" } });
    await released;
    await (await permitOf(other, { ...slot, ...patience })).release();
  });
});
