import { afterAll, afterEach, beforeAll, describe, it } from "vitest";
import { type RedisCluster, startCluster } from "../../../../../tools/redis/redis-cluster";
import { type RedisSentinel, startSentinel } from "../../../../../tools/redis/redis-sentinel";
import { clusterIsDown, clusterLosesMaster, sentinelLosesMaster } from "./failover";
import { isAny } from "./fault-clients";
import { FaultTable } from "./fault-table";
import { slotMoves } from "./migration";
import { closeSubjects } from "./subject";

const table = new FaultTable("Fail-over, all clients");

let group: RedisSentinel;
let cluster: RedisCluster;
/** As servers are by default. */
let covered: RedisCluster;

beforeAll(async () => {
  [group, cluster, covered] = await Promise.all([
    startSentinel(),
    startCluster({ config: ["cluster-require-full-coverage no"] }),
    startCluster(),
  ]);
}, 60_000);
afterEach(closeSubjects);
afterAll(async () => {
  table.print();
  await Promise.all([group.stop(), cluster.stop(), covered.stop()]);
});

describe.each(["killed", "stopped"] as const)("A master is %s", (loss) => {
  it("F26, F28: behind Sentinel", () => sentinelLosesMaster(table, isAny, group, loss));
  it("F30: of a cluster", () => clusterLosesMaster(table, isAny, cluster, loss));
});

describe("A cluster", () => {
  it("F32: moves a slot without a failure", () => slotMoves(table, isAny, cluster));
  it("F21: that is down refuses", () => clusterIsDown(table, isAny, covered));
});
