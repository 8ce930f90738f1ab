import { afterAll, afterEach, describe, it } from "vitest";
import { enduresMixedFaults } from "./endurance";
import { isIoredis6, isNewest } from "./fault-clients";
import { FaultTable } from "./fault-table";
import { fleetInAnOutage, policiesAreKept } from "./policy";
import { closeSubjects } from "./subject";

const table = new FaultTable("Policies");

afterEach(closeSubjects);
afterAll(() => table.print());

describe("In an outage", () => {
  it("F88: a fleet stays within its limits", () => fleetInAnOutage(table, "ioredis", 3_000));

  it("F89, F91, F92: each policy is kept, said, and counted", async () => {
    await policiesAreKept(table, isNewest);
  });

  it("F93: nothing is left behind", () => enduresMixedFaults(table, isIoredis6, 8_000));
});
