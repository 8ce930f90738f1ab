import { fixedWindow, slidingWindow, tokenBucket } from "@sluice/core";
import { afterAll, afterEach, describe, expect, inject, it, vi } from "vitest";
import { pollUntil } from "../../../../../tools/redis/poll-until";
import type { AdmitReply } from "../../../src/engine/reply";
import { admitOperation } from "../../../src/redis/wire/admit";
import type { LATE } from "../../../src/redis/wire/operation";
import { singleClients } from "../executor/clients";
import { TwinServer } from "../twin/twin-server";
import { isNewest } from "./fault-clients";
import { FaultTable } from "./fault-table";
import { closeSubjects, countedIn, freshPrefix, openSubject, usedIn } from "./subject";

const table = new FaultTable("Time");

afterEach(closeSubjects);
afterAll(() => table.print());

const START_MS = 1_700_000_000_000;

async function withTwin(use: (twin: TwinServer, admit: Admit) => Promise<void>): Promise<void> {
  const twin = await TwinServer.open(inject("redisPort"), freshPrefix());
  const admit: Admit = async (limit, nowMs) => {
    const targets = [{ kind: "user", id: limit.name, limits: [limit] }];
    const cost = { requests: 1 };
    const command = { type: "admit", operationId: "", serial: 1, cost, targets } as const;
    const [reply] = await twin.run(admitOperation, [command], nowMs);
    return reply as Exclude<typeof reply, typeof LATE | undefined>;
  };
  await use(twin, admit).finally(() => twin.close());
}

type Admit = (
  limit: Parameters<typeof admitOperation.weight>[0]["targets"][number]["limits"][number],
  nowMs: number,
) => Promise<AdmitReply>;

describe("The clock of the server", () => {
  it("F42: decides to the millisecond to which window a call belongs", async () => {
    await withTwin(async (twin, admit) => {
      const limit = fixedWindow({ max: 2, windowMs: 60_000 });
      const endMs = START_MS + 60_000;
      expect((await admit(limit, START_MS)).checks).toMatchObject([{ used: 1 }]);
      expect((await admit(limit, endMs - 1)).checks).toMatchObject([{ used: 2, resetAfterMs: 1 }]);
      expect(await admit(limit, endMs - 1)).toMatchObject({
        admitted: false,
        checks: [{ retryAfterMs: 1 }],
      });
      const key = twin.chainKey({ kind: "user", id: limit.name });
      const ttlMs = Number(await twin.command("PTTL", key));
      // What is left of the window, and the slack.
      expect(ttlMs).toBeGreaterThan(9_000);
      expect(ttlMs).toBeLessThanOrEqual(10_001);
      expect((await admit(limit, endMs)).checks).toMatchObject([{ used: 1, resetAfterMs: 60_000 }]);
    });
    table.add({
      row: "F42",
      scenario: "1 ms before and at the end",
      client: "given time",
      overAdmission: 0,
    });
  });

  it("F43: may be smeared or slewed by 500 ppm", async () => {
    await withTwin(async (_, admit) => {
      const verdicts = { steady: "", slewed: "" };
      for (const [name, rate] of [
        ["steady", 1],
        ["slewed", 1.0005],
      ] as const) {
        const limits = [
          fixedWindow({ max: 30, windowMs: 10_000, name: `${name}-fixed` }),
          slidingWindow({ max: 30, windowMs: 10_000, name: `${name}-sliding` }),
          tokenBucket({ capacity: 5, refill: 3, perMs: 1_000, name: `${name}-bucket` }),
        ];
        for (let step = 0; step < 60; step += 1) {
          const nowMs = START_MS + Math.floor(step * 300 * rate);
          for (const limit of limits) {
            const { admitted, checks } = await admit(limit, nowMs);
            expect(checks[0]?.used).toBeGreaterThanOrEqual(0);
            verdicts[name] += admitted ? "+" : "-";
          }
        }
      }
      const differences = [...verdicts.steady].filter((each, at) => each !== verdicts.slewed[at]);
      // 9 ms in 18 s: a verdict or two may fall on the other side of an edge.
      expect(differences.length).toBeLessThanOrEqual(4);
      table.add({ row: "F43", scenario: "500 ppm", client: "given time", overAdmission: 0 });
    });
  });
});

describe("The clock of a process", () => {
  const kind = singleClients.filter(isNewest)[0] as (typeof singleClients)[number];

  it.each([
    ["an hour behind", () => -3_600_000],
    ["an hour ahead", () => 3_600_000],
    ["stepping by a second each time it is read", (reads: number) => reads * 1_000],
  ] as const)("F40: changes no verdict: %s", async (name, skewOf) => {
    const real = Date.now;
    let reads = 0;
    const wall = vi.spyOn(Date, "now").mockImplementation(() => real() + skewOf(reads++));
    try {
      const subject = openSubject({ connect: () => kind.make([inject("redisPort")]) });
      const isThere = async () => (await usedIn(subject, countedIn("nobody"))) === 0;
      await pollUntil(isThere, { what: "it is connected" });
      const limits = [
        fixedWindow({ max: 5, windowMs: 3_600_000 }),
        tokenBucket({ capacity: 7, refill: 1, perMs: 3_600_000 }),
      ];
      const question = { descriptors: [{ kind: "user", id: "skewed", limits }] };
      const seen: unknown[] = [];
      for (let index = 0; index < 7; index += 1) {
        const { admitted, statuses } = await subject.limiter.admit(question);
        seen.push([admitted, ...statuses.map(({ used, source }) => `${used} ${source}`)]);
      }
      const full = [false, "5 store", "5 store"];
      const filling = [1, 2, 3, 4, 5].map((used) => [true, `${used} store`, `${used} store`]);
      expect(seen).toEqual([...filling, full, full]);
    } finally {
      wall.mockRestore();
    }
    table.add({ row: "F40", scenario: `process ${name}`, client: kind.name, overAdmission: 0 });
  });
});
