import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startFaultProxy } from "../../../../../tools/redis/fault-proxy";
import { type RedisSentinel, startSentinel } from "../../../../../tools/redis/redis-sentinel";
import { sentinelClients } from "./clients";
import { recoveryOf } from "./recovery";
import { addOne } from "./scripts";
import { clearStages, failureOf, outcomeOf, setStage, whenConnected } from "./stage";

let group: RedisSentinel;

beforeAll(async () => {
  group = await startSentinel();
});

afterEach(async () => {
  await clearStages();
  await group.whenHealthy();
});

afterAll(() => group.stop());

const setAll = async () => {
  const stages = sentinelClients.map(({ make }) =>
    setStage(() => make(group.masterName, group.sentinelPorts)),
  );
  for (const stage of stages) await whenConnected(stage, "n");
  return stages;
};

describe.each(sentinelClients)("Behind Sentinel $name", ({ name, make }) => {
  it("runs a call once whose reply is lost, and says that it does not know (F6)", async () => {
    const master = await group.master();
    const proxy = await startFaultProxy(master.port);
    const key = `lost ${name}`;
    const by = { from: master.port, to: proxy.port };
    const stage = setStage(() => make(group.masterName, group.sentinelPorts, by));
    await whenConnected(stage, key);
    expect(proxy.connections).toBeGreaterThan(0);
    void proxy.swallowReplies(1);
    const failure = await failureOf(stage, addOne(key));
    expect(failure).toMatchObject({ code: "SLUICE_STORE_UNREACHABLE", isRetryable: false });
    expect(Number(await master.command("GET", key))).toBe(2);
    await proxy.stop();
  });
});

describe("When the master is lost, all clients recover", () => {
  it("after a crash (F26)", async () => {
    const stages = await setAll();
    const master = await group.master();
    const recoveries = stages.map((stage) => recoveryOf(stage, "n"));
    await master.kill();
    for (const recovery of await Promise.all(recoveries)) expect(recovery).toBeGreaterThan(0);
    await master.restart();
  });

  it("when it stands still, and write nothing to it when it goes on (F28)", async () => {
    const stages = await setAll();
    const master = await group.master();
    master.pause();
    await Promise.all(stages.map((stage) => recoveryOf(stage, "n")));
    master.resume();
    await group.whenHealthy();
    for (const stage of stages) {
      const before = Number(await outcomeOf(stage, addOne("n"), 1_000));
      expect(Number(await outcomeOf(stage, addOne("n"), 1_000))).toBe(before + 1);
    }
  });
});
