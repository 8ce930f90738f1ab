import { afterAll, afterEach, describe, inject, it } from "vitest";
import { closesWithCallsUnderWay, processEnds, slotsComeBackTogether } from "./closing";
import {
  absentAtStart,
  killedUnderLoad,
  neverAnswers,
  refusedConnections,
  standsStill,
} from "./connectivity";
import { isAny } from "./fault-clients";
import { FaultTable } from "./fault-table";
import { churn, replyIsLost, replyIsLostOnCluster } from "./lost-replies";
import { closeSubjects } from "./subject";

const table = new FaultTable("Connectivity, all clients");

afterEach(closeSubjects);
afterAll(() => table.print());

describe("A server", () => {
  it("F1: that is absent at the start", () => absentAtStart(table, isAny));
  it("F2: that is killed under load", () => killedUnderLoad(table, isAny));
  it("F3: that stands still", () => standsStill(table, isAny, 10_000));
  it("F4: that accepts and never answers", () => neverAnswers(table, isAny));
  it("F10: that is full", () => refusedConnections(table, isAny, "maxclients"));
  it("F10: that wants a password", () => refusedConnections(table, isAny, "no password"));
  it("F6: whose reply is lost", () => replyIsLost(table, isAny));
  it("F6: whose reply is lost, on a cluster", async () => {
    await replyIsLostOnCluster(table, isAny, inject("redisClusterPorts"));
  });
  it("F8: whose connections break again and again", () => churn(table, isAny, 10_000));
});

describe("A store", () => {
  it("F12: that is closed answers the calls under way", async () => {
    await closesWithCallsUnderWay(table, isAny);
  });
  it("F12: is given slots back in one call", () => slotsComeBackTogether(table, isAny));
  it.each(["ioredis", "redis"] as const)("F12: on %s keeps no process alive", async (library) => {
    await processEnds(table, library);
  });
});
