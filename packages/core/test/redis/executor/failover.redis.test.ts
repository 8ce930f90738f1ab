import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type RedisCluster, startCluster } from "../../../../../tools/redis/redis-cluster";
import { slotOf } from "../../../src/redis/key/slot";
import { clusterClients } from "./clients";
import { recoveryOf } from "./recovery";
import { addOne } from "./scripts";
import { clearStages, outcomeOf, setStage, whenConnected } from "./stage";

let cluster: RedisCluster;

beforeAll(async () => {
  cluster = await startCluster();
});

afterEach(async () => {
  await clearStages();
  await cluster.whenHealthy();
});

afterAll(() => cluster.stop());

describe("When a master of a cluster is lost, all clients recover", () => {
  const key = "failover:{a}";
  const others = ["failover:{b}", "failover:{c}", "failover:{d}", "failover:{e}"];

  /** All kinds of clients at once, because a fail-over takes its time. */
  const setAll = async () => {
    const stages = clusterClients.map(({ make }) => setStage(() => make(cluster.ports)));
    for (const stage of stages) {
      for (const each of [key, ...others]) await whenConnected(stage, each);
    }
    return stages;
  };

  it("after a crash (F30)", async () => {
    const stages = await setAll();
    const master = await cluster.masterOf(slotOf(key));
    const recoveries = stages.map((stage) => recoveryOf(stage, key));
    await master.kill();
    for (const recovery of await Promise.all(recoveries)) expect(recovery).toBeGreaterThan(0);
    await master.restart();
  });

  it("when it stands still, and write nothing to it when it goes on (F28)", async () => {
    const stages = await setAll();
    const master = await cluster.masterOf(slotOf(key));
    master.pause();
    const recoveries = stages.map((stage) => recoveryOf(stage, key));
    await Promise.all(recoveries);
    master.resume();
    await cluster.whenHealthy();
    for (const stage of stages) {
      const before = Number(await outcomeOf(stage, addOne(key), 1_000));
      expect(Number(await outcomeOf(stage, addOne(key), 1_000))).toBe(before + 1);
    }
  });
});
