import { afterEach, describe, expect, inject, it } from "vitest";
import { RespConnection } from "../../../../../tools/redis/resp-connection";
import { slotOf } from "../../../src/redis/key/slot";
import { clusterClients } from "./clients";
import { addOne, addUp } from "./scripts";
import { clearStages, failureOf, setStage, whenConnected } from "./stage";

afterEach(clearStages);

const keys = Array.from({ length: 50 }, (_, index) => `executor:{${index}}`);

/** Which port serves a slot, as the cluster itself says. */
async function portsBySlot(): Promise<(slot: number) => number | undefined> {
  const connection = await RespConnection.open(inject("redisClusterPorts")[0] ?? 0);
  const ranges = (await connection.command("CLUSTER", "SLOTS")) as [
    number,
    number,
    [string, number],
  ][];
  connection.close();
  return (slot) => ranges.find(([from, to]) => slot >= from && slot <= to)?.[2][1];
}

async function onAllNodes(...command: string[]): Promise<void> {
  for (const port of inject("redisClusterPorts")) {
    const connection = await RespConnection.open(port);
    // A replica refuses what writes.
    await connection.command(...command).catch(() => undefined);
    connection.close();
  }
}

describe.each(clusterClients)("A cluster through $name", ({ make }) => {
  const set = async () => {
    await onAllNodes("FLUSHALL");
    const stage = setStage(() => make(inject("redisClusterPorts")));
    for (const key of keys) await whenConnected(stage, key);
    return stage;
  };

  it("serves keys of all slots, also while it forgets the scripts (F13)", async () => {
    const { executor } = await set();
    expect(executor.isCluster).toBe(true);
    const calls: Promise<unknown>[] = [];
    for (let round = 0; round < 5; round += 1) {
      for (const key of keys) calls.push(executor.run(addOne(key)));
      await onAllNodes("SCRIPT", "FLUSH");
    }
    await Promise.all(calls);
    for (const key of keys) expect(await executor.run(addOne(key))).toBe("7");
  });

  it("is asked where each slot is", async () => {
    const { executor } = await set();
    const portOf = await portsBySlot();
    for (const key of keys) {
      expect(executor.nodeOf(slotOf(key))).toBe(`127.0.0.1:${portOf(slotOf(key))}`);
    }
  });

  it("does not know nodes before it is connected, and then tells which are ready", async () => {
    const unconnected = setStage(() => make(inject("redisClusterPorts")));
    expect(unconnected.executor.nodeOf(0)).toBe("unknown");
    const stage = await set();
    const nodes = new Set(keys.map((key) => stage.executor.nodeOf(slotOf(key))));
    expect(nodes.size).toBe(3);
    for (const node of nodes) expect(stage.ready).toContain(node);
  });

  it("refuses a call whose keys lie in two slots, without running it", async () => {
    const stage = await set();
    const call = { script: addUp, keys: ["{0}", "{1}"], argument: "1" };
    const failure = await failureOf(stage, call);
    expect(failure.code).toBe("SLUICE_STORE_PROTOCOL");
  });
});
