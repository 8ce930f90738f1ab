import { afterAll, afterEach, describe, inject, it } from "vitest";
import { clusterClients } from "../executor/clients";
import { diesBetweenParts, secondPartRefuses } from "./cross-slot";
import { isIoredis6, isNewest } from "./fault-clients";
import { FaultTable } from "./fault-table";
import { closeSubjects } from "./subject";

const table = new FaultTable("Semantics on a cluster, newest clients");
const ports = () => inject("redisClusterPorts");

afterEach(closeSubjects);
afterAll(() => table.print());

describe("Across hash slots", () => {
  it.each(clusterClients.filter(isNewest))(
    "F61: what another part refuses is taken back by id: $name",
    async (kind) => {
      await secondPartRefuses(table, kind, ports());
    },
  );

  it.each(clusterClients.filter(isIoredis6))(
    "F62: a process that dies between two parts never charges the wide limit alone: $name",
    async (kind) => {
      await diesBetweenParts(table, kind, ports());
    },
  );
});
