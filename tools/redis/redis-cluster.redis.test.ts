import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RedisCluster, startCluster } from "./redis-cluster";

/** A key for each of the masters, and its slot. */
const KEYS = [
  { slot: 3300, key: "b" },
  { slot: 7365, key: "c" },
  { slot: 15_495, key: "a" },
];

let cluster: RedisCluster;

beforeAll(async () => {
  cluster = await startCluster();
});

afterAll(() => cluster.stop());

describe("a cluster", () => {
  it("serves a key on each of its masters", async () => {
    const masters = await Promise.all(KEYS.map(({ slot }) => cluster.masterOf(slot)));
    expect(new Set(masters).size).toBe(3);
    for (const [index, { slot, key }] of KEYS.entries()) {
      expect(await masters[index]?.command("CLUSTER", "KEYSLOT", key)).toBe(slot);
      expect(await masters[index]?.command("SET", key, slot)).toBe("OK");
      const elsewhere = masters[(index + 1) % 3]?.command("GET", key);
      await expect(elsewhere).rejects.toThrow(`MOVED ${slot} 127.0.0.1:${masters[index]?.port}`);
    }
  });

  it("has a replica for each of its masters", async () => {
    const masters = await Promise.all(KEYS.map(({ slot }) => cluster.masterOf(slot)));
    const replicas = await Promise.all(KEYS.map(({ slot }) => cluster.replicaOf(slot)));
    expect(new Set([...masters, ...replicas])).toEqual(new Set(cluster.nodes));
  });

  it("hands a slot over to the replica without loss", async () => {
    const [{ slot, key } = { slot: 0, key: "" }] = KEYS;
    const before = await cluster.masterOf(slot);
    await before.command("SET", key, "kept");
    const after = await cluster.failOver(slot);
    expect(after).not.toBe(before);
    expect(await after.command("GET", key)).toBe("kept");
    await cluster.whenHealthy();
    expect(await cluster.replicaOf(slot)).toBe(before);
  });

  it("promotes the replica of a killed master, which comes back as a replica", async () => {
    const [, { slot } = { slot: 0 }] = KEYS;
    const [before, replica] = [await cluster.masterOf(slot), await cluster.replicaOf(slot)];
    await before.kill();
    expect(await cluster.masterOf(slot)).toBe(replica);
    await before.restart();
    await cluster.whenHealthy();
    expect(await cluster.replicaOf(slot)).toBe(before);
  });
});
