import { concurrency, createLimiter, fixedWindow, slidingLog, slidingWindow, tokenBucket } from "@sluice/core";
import { redisStore } from "@sluice/core/redis";
import { afterEach, describe, expect, inject, it } from "vitest";
import { expectAdmitted, expectRejected } from "../verdicts";
import { clusterClients, singleClients } from "./executor/clients";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => { for (const each of open.splice(0)) await each.close(); });

for (const [topology, kinds, ports] of [["single", singleClients, () => [inject("redisPort")]], ["cluster", clusterClients, () => inject("redisClusterPorts")]] as const) {
  describe.each(kinds)(`${topology} $name`, ({ make }) => {
    it("works", async () => {
      const store = redisStore({ connect: () => make(ports()), prefix: `conf${Math.random().toString(36).slice(2)}`, timeoutMs: 1000 });
      open.push(store);
      const limiter = createLimiter({ store, onStoreUnavailable: "reject" });
      const q = { descriptors: [
        { kind: "user", id: "u1", limits: [fixedWindow({ max: 3, windowMs: 60_000 }), slidingWindow({ max: 5, windowMs: 60_000 }), slidingLog({ max: 5, windowMs: 60_000 }), tokenBucket({ capacity: 100, refill: 1, perMs: 1000, unit: "tokens" })] },
        { kind: "team", id: "t1", limits: [concurrency({ max: 2 })] },
      ], cost: { requests: 1, tokens: 10 } };
      let verdict = await limiter.admit(q);
      for (let i = 0; i < 100 && !verdict.admitted && verdict.rejection.reason === "store_unavailable"; i++) { await new Promise((r) => setTimeout(r, 50)); verdict = await limiter.admit(q); }
      const a = expectAdmitted(verdict);
      const b = expectAdmitted(await limiter.admit(q));
      const c = expectRejected(await limiter.admit(q));
      expect(c.reason).toBe("concurrency_exhausted");
      await a.settle({ tokens: 1 });
      await b.refund();
      const p = await limiter.peek(q);
      expect(p.statuses.map(({ used }) => used)).toEqual([1, 1, 1, 1, 0]);
      expectAdmitted(await limiter.admit(q));
      const all = await Promise.all(Array.from({ length: 50 }, () => limiter.admit(q)));
      expect(all.filter(({ admitted }) => admitted).length).toBe(1);
      await limiter.reset({ descriptors: q.descriptors });
      expect((await limiter.peek(q)).statuses.map(({ used }) => used)).toEqual([0, 0, 0, 0, 2]);
      await limiter.close();
    });
  });
}
