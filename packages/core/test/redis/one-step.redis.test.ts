import { createLimiter, fixedWindow, slidingLog } from "@sluice/core";
import { afterEach, describe, expect, inject, it } from "vitest";
import { RespConnection } from "../../../../tools/redis/resp-connection";
import { pause } from "./executor/stage";
import { openRedisStore, sharedPorts } from "./open-redis-store";
import { storedKeys } from "./stored-keys";

const LONG_MS = 3_600_000;
const run = `${process.pid}-${Date.now()}`;

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

describe.each(["ioredis 6, cluster", "redis 6, cluster"] as const)(
  "Subjects of one hash tag, %s,",
  (client) => {
    it("are judged in one step: what is refused is never charged, nor on record", async () => {
      const prefix = `tag-${client.replace(/[^a-z0-9]/g, "")}-${run}-`;
      const store = await openRedisStore(client, { prefix, hashTag: () => "tenant {1}" });
      opened.push(store);
      const limiter = createLimiter({ store, onStoreUnavailable: "reject" });
      const wide = { kind: "w", id: "a{b}", limits: [fixedWindow({ max: 9, windowMs: LONG_MS })] };
      const full = { kind: "f", id: "x}y{", limits: [slidingLog({ max: 1, windowMs: LONG_MS })] };
      const question = { descriptors: [wide, full] };
      const verdicts = await Promise.all([1, 2, 3].map(() => limiter.admit(question)));
      expect(verdicts.map(({ admitted }) => admitted)).toEqual([true, false, false]);
      const { statuses } = await limiter.peek({ descriptors: [wide, full] });
      expect(statuses.map(({ used }) => used)).toEqual([1, 1]);
      const keys = await storedKeys(sharedPorts(client), prefix);
      expect(keys.map(({ key }) => key.slice(prefix.length)).sort()).toEqual([
        "1:{tenant%0020%007B1%007D}f:x%007Dy%007B",
        "1:{tenant%0020%007B1%007D}w:a%007Bb%007D",
      ]);
      const limits = keys.flatMap(({ counters }) => counters.map(({ limit }) => limit));
      expect(limits.filter((limit) => limit.startsWith("#"))).toEqual([]);
    });
  },
);

describe.each(["ioredis 6, single", "redis 6, single"] as const)(
  "A question that the server reads too late, %s,",
  (client) => {
    it("charges nothing", async () => {
      const prefix = `late-${client.replace(/[^a-z0-9]/g, "")}-${run}-`;
      const store = await openRedisStore(client, { prefix, timeoutMs: 200 });
      opened.push(store);
      const limiter = createLimiter({ store, onStoreUnavailable: "reject" });
      const limits = [fixedWindow({ max: 100, windowMs: LONG_MS })];
      const question = { descriptors: [{ kind: "k", id: "late", limits }] };
      await limiter.peek(question);
      const other = await RespConnection.open(inject("redisPort"));
      const asleep = other.command("DEBUG", "SLEEP", "0.8");
      await pause(20);
      const verdicts = await Promise.all([1, 2, 3, 4].map(() => limiter.admit(question)));
      expect(verdicts.map((verdict) => !verdict.admitted && verdict.rejection.reason)).toEqual(
        Array(4).fill("store_unavailable"),
      );
      await asleep;
      // The same connection is served in order: what was late has been read by now.
      await expect
        .poll(async () => (await limiter.peek(question)).statuses.length, { timeout: 10_000 })
        .toBe(1);
      expect((await limiter.peek(question)).statuses).toMatchObject([{ used: 0 }]);
      expect(await storedKeys(sharedPorts(client), prefix)).toEqual([]);
      other.close();
    });
  },
);
