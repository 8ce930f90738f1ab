import { fixedWindow } from "@sluice/core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { pollUntil } from "../../../../../tools/redis/poll-until";
import { type RedisCluster, startCluster } from "../../../../../tools/redis/redis-cluster";
import { type RedisSentinel, startSentinel } from "../../../../../tools/redis/redis-sentinel";
import { clusterClients } from "../executor/clients";
import { clusterLosesMaster, sentinelLosesMaster } from "./failover";
import { isNewest } from "./fault-clients";
import { FaultTable } from "./fault-table";
import { slotMoves } from "./migration";
import { closeSubjects, failureCodesOf, openSubject } from "./subject";
import { sourceOf } from "./traffic";

const table = new FaultTable("Fail-over, newest clients");

let group: RedisSentinel;
let cluster: RedisCluster;

beforeAll(async () => {
  [group, cluster] = await Promise.all([
    startSentinel(),
    startCluster({ config: ["cluster-require-full-coverage no"] }),
  ]);
});
afterEach(closeSubjects);
afterAll(async () => {
  table.print();
  await Promise.all([group.stop(), cluster.stop()]);
});

describe("A master", () => {
  it("F26: behind Sentinel that is killed", async () => {
    await sentinelLosesMaster(table, isNewest, group, "killed");
  });
  it("F28: behind Sentinel that stands still", async () => {
    await sentinelLosesMaster(table, isNewest, group, "stopped");
  });
  it("F30: of a cluster that is killed", async () => {
    await clusterLosesMaster(table, isNewest, cluster, "killed");
  });
});

describe("A cluster", () => {
  it("F32: moves a slot without a failure", () => slotMoves(table, isNewest, cluster));

  it.each(clusterClients.filter(isNewest))(
    "F34: takes descriptors of all slots: $name",
    async (kind) => {
      const { name, make } = kind;
      const subject = openSubject({ name, connect: () => make(cluster.ports), timeoutMs: 1_000 });
      const limits = [fixedWindow({ max: 10, windowMs: 3_600_000 })];
      const descriptors = ["a", "b", "c", "d", "e", "f"].map((id) => ({
        kind: "user",
        id,
        limits,
      }));
      const isThere = async () => (await subject.limiter.peek({ descriptors })).admitted;
      await pollUntil(isThere, { what: "all nodes answer" });
      const verdicts = await Promise.all(
        Array.from({ length: 15 }, () => subject.limiter.admit({ descriptors })),
      );
      expect(verdicts.map(sourceOf)).toEqual(verdicts.map(() => "store"));
      expect(verdicts.filter(({ admitted }) => admitted).length).toBeLessThanOrEqual(10);
      expect(failureCodesOf(subject)).not.toContain("SLUICE_STORE_PROTOCOL");
      table.add({ row: "F34", scenario: "6 descriptors, 6 slots", client: name, overAdmission: 0 });
    },
  );
});
