import { afterAll, afterEach, describe, inject, it } from "vitest";
import { closesWithCallsUnderWay, processEnds, slotsComeBackTogether } from "./closing";
import {
  absentAtStart,
  killedUnderLoad,
  neverAnswers,
  refusedConnections,
  standsStill,
} from "./connectivity";
import { isNewest } from "./fault-clients";
import { FaultTable } from "./fault-table";
import { churn, replyIsLost, replyIsLostOnCluster } from "./lost-replies";
import { closeSubjects } from "./subject";

const table = new FaultTable("Connectivity, newest clients");

afterEach(closeSubjects);
afterAll(() => table.print());

describe("A server", () => {
  it("F1: that is absent at the start", () => absentAtStart(table, isNewest));
  it("F2: that is killed under load", () => killedUnderLoad(table, isNewest));
  it("F3: that stands still", () => standsStill(table, isNewest, 2_500));
  it("F4: that accepts and never answers", () => neverAnswers(table, isNewest));
  it("F10: that is full", () => refusedConnections(table, isNewest, "maxclients"));
  it("F10: that wants a password", () => refusedConnections(table, isNewest, "no password"));
  it("F6: whose reply is lost", () => replyIsLost(table, isNewest));
  it("F6: whose reply is lost, on a cluster", async () => {
    await replyIsLostOnCluster(table, isNewest, inject("redisClusterPorts"));
  });
  it("F8: whose connections break again and again", () => churn(table, isNewest, 2_000));
});

describe("A store", () => {
  it("F12: that is closed answers the calls under way", async () => {
    await closesWithCallsUnderWay(table, isNewest);
  });
  it("F12: is given slots back in one call", () => slotsComeBackTogether(table, isNewest));
  it("F12: keeps no process alive", () => processEnds(table, "redis"));
});
