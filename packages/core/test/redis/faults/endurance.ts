import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { fixedWindow } from "@sluice/core";
import { expect } from "vitest";
import { singleClients } from "../executor/clients";
import { pause } from "../executor/stage";
import { type Choice, withProxy } from "./connectivity";
import type { FaultTable } from "./fault-table";
import { slotsOf } from "./slots";
import { openSubject, type Subject } from "./subject";

/** Questions asked at once. */
const LANES = 50;
const IDS = 200;

function heapAfterCollection(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

async function ask({ limiter }: Subject, count: number): Promise<void> {
  const limits = [fixedWindow({ max: 1_000_000, windowMs: 5_000 })];
  for (let index = 0; index < count; index += 1) {
    const [slots] = slotsOf(`held${index % 20}`, 30, 2_000).descriptors;
    const window = { kind: "user", id: `many${index % IDS}`, limits };
    const descriptors = index % 4 === 0 ? [window, slots as typeof window] : [window];
    const verdict = await limiter.admit({ descriptors });
    // What is decided in memory does not let anything else run by itself.
    await new Promise((resolve) => setImmediate(resolve));
    if (verdict.admitted)
      await (index % 3 === 0 ? verdict.permit.refund() : verdict.permit.release());
  }
}

/** Many calls through all kinds of faults leave nothing behind in the process or on the server. */
export function enduresMixedFaults(
  table: FaultTable,
  choice: Choice,
  calls: number,
): Promise<void> {
  return withProxy(async (proxy, server) => {
    const warnings: string[] = [];
    const onWarning = ({ name }: Error) => void warnings.push(name);
    process.on("warning", onWarning);
    for (const { name, make } of singleClients.filter(choice)) {
      const events = { count: 0 };
      const connect = () => make([proxy.port]);
      const subject = openSubject({ name, connect, policy: "local", recordsNothing: true });
      const round = (share: number) =>
        Promise.all(Array.from({ length: LANES }, () => ask(subject, (calls * share) / LANES)));
      await round(0.1);
      const before = heapAfterCollection();
      let isOver = false;
      const faults = (async () => {
        for (let turn = 0; !isOver; turn += 1) {
          events.count += 1;
          if (turn % 4 === 0) proxy.resetAll();
          if (turn % 4 === 1) await server.command("SCRIPT", "FLUSH");
          if (turn % 4 === 2) proxy.blackHole();
          await pause(150);
          await proxy.forward();
          await pause(150);
        }
      })();
      await round(1);
      isOver = true;
      await faults;
      await pause(1_500);
      const growth = heapAfterCollection() / before - 1;
      const keys = (await server.command("KEYS", `${subject.prefix}*`)) as string[];
      const ttls = await Promise.all(keys.map((key) => server.command("PTTL", key)));
      table.add({
        row: "F93",
        scenario: `${calls} calls, ${events.count} faults, heap ${(growth * 100).toFixed(1)} %`,
        client: name,
        overAdmission: `${ttls.filter((ttl) => ttl === -1).length} immortal keys`,
      });
      expect(ttls).not.toContain(-1);
      expect(growth).toBeLessThan(0.05 + 1_000_000 / before);
      expect(subject.limiter.heldLeases).toBe(0);
    }
    process.off("warning", onWarning);
    expect(warnings).toEqual([]);
  });
}
