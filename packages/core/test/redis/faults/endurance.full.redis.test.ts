import { afterAll, afterEach, beforeAll, describe, inject, it } from "vitest";
import { type RedisServer, startServer } from "../../../../../tools/redis/redis-server";
import { clusterClients } from "../executor/clients";
import { diesBetweenParts, secondPartRefuses } from "./cross-slot";
import { enduresMixedFaults } from "./endurance";
import { isAny, isIoredis6 } from "./fault-clients";
import { FaultTable } from "./fault-table";
import { fleetInAnOutage, policiesAreKept } from "./policy";
import { contend, holderCrashes } from "./slots";
import { closeSubjects } from "./subject";

const table = new FaultTable("Long runs, all clients");

let server: RedisServer;

beforeAll(async () => {
  server = await startServer();
});
afterEach(closeSubjects);
afterAll(async () => {
  table.print();
  await server.stop();
});

describe("For long", () => {
  it("F74: slots are never more than there are", async () => {
    await contend(table, isIoredis6, server, 60_000);
  });

  it("F89, F91, F92: each policy is kept, said, and counted", async () => {
    await policiesAreKept(table, isAny);
  });

  it("F93: nothing is left behind", () => enduresMixedFaults(table, isIoredis6, 1_000_000));
});

describe.each(["ioredis", "redis"] as const)("Processes on %s", (library) => {
  it("F75: that crashed give their slots back", () => holderCrashes(table, library, server));
  it("F88: stay within their limits in an outage", async () => {
    await fleetInAnOutage(table, library, 20_000);
  });
});

describe.each(clusterClients)("Across hash slots, through $name", (kind) => {
  it("F61: what another part refuses is taken back by id", async () => {
    await secondPartRefuses(table, kind, inject("redisClusterPorts"));
  });
  it("F62: a process that dies between two parts never charges the wide limit alone", async () => {
    await diesBetweenParts(table, kind, inject("redisClusterPorts"));
  });
});
