import { concurrency, fixedWindow, type Question } from "@sluice/core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { pollUntil } from "../../../../../tools/redis/poll-until";
import { type RedisServer, startServer } from "../../../../../tools/redis/redis-server";
import { expectAdmitted, expectRejected } from "../../verdicts";
import { singleClients } from "../executor/clients";
import { pause } from "../executor/stage";
import { failSaving } from "./failed-saving";
import { isNewest, protocolClients } from "./fault-clients";
import { FaultTable } from "./fault-table";
import { lateOf, type Outage, rowOf, runOutage, TRAFFIC_ID } from "./outage-run";
import {
  closeSubjects,
  countedIn,
  countOf,
  failureCodesOf,
  openSubject,
  type Subject,
  usedIn,
} from "./subject";
import { sourceOf } from "./traffic";

const table = new FaultTable("Scripts and the state of the server");
const newest = singleClients.filter(isNewest);

/** Where a time-out on a busy machine is not the point. */
const PATIENT_MS = 2_000;

let server: RedisServer;

beforeAll(async () => {
  server = await startServer({ config: ["busy-reply-threshold 50"] });
});
afterEach(async () => {
  await closeSubjects();
  await server.command("FLUSHALL");
});
afterAll(async () => {
  table.print();
  await server.stop();
});

const open = ({ name, make }: (typeof newest)[number]) =>
  openSubject({ name, connect: () => make([server.port]) });

async function connected(subject: Subject): Promise<Subject> {
  const isThere = async () => (await usedIn(subject, countedIn("nobody"))) === 0;
  await pollUntil(isThere, { what: `${subject.name} is connected` });
  return subject;
}

const openConnected = (kind: (typeof newest)[number]) => connected(open(kind));

async function callsOf(command: string): Promise<number> {
  const info = String(await server.command("INFO", "commandstats"));
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(info)?.[1] ?? 0);
}

/** Keys that never expire. */
async function immortals(): Promise<readonly string[]> {
  const keys = (await server.command("KEYS", "*")) as string[];
  const ttls = await Promise.all(keys.map((key) => server.command("PTTL", key)));
  return keys.filter((_, index) => ttls[index] === -1);
}

/** A fault in which the server answers that it does not want to. */
async function refuses(
  row: string,
  scenario: string,
  outage: Omit<Outage, "subjects">,
  backWithinMs = 500,
): Promise<void> {
  const subjects = newest.map(open);
  const reports = await runOutage({ ...outage, subjects });
  for (const report of reports) {
    const used = await usedIn(report.subject, countedIn(TRAFFIC_ID));
    const overAdmission = used - report.admittedByStore;
    table.add({ row, scenario, ...rowOf(report), overAdmission });
    expect(overAdmission).toBeGreaterThanOrEqual(0);
    expect(overAdmission).toBeLessThanOrEqual(report.unheard);
    expect(report.during.filter(({ source }) => source === "policy").length).toBeGreaterThan(0);
    expect(failureCodesOf(report.subject)).toContain("SLUICE_STORE_REFUSED");
    expect(report.recoveryMs).toBeLessThan(backWithinMs);
  }
  expect(lateOf(reports)).toEqual([]);
}

describe("Scripts", () => {
  it("F13: that are forgotten again and again are never missed", async () => {
    const subjects = newest.map(open);
    const before = await callsOf("eval");
    let flushes = 0;
    let timer: NodeJS.Timeout | undefined;
    const reports = await runOutage({
      subjects,
      everyMs: 5,
      begin: () => {
        timer = setInterval(() => {
          flushes += 1;
          void server.command("SCRIPT", "FLUSH");
        }, 50);
      },
      lastsMs: 1_500,
      end: () => clearInterval(timer),
    });
    for (const report of reports) {
      const used = await usedIn(report.subject, countedIn(TRAFFIC_ID));
      table.add({
        row: "F13",
        scenario: `SCRIPT FLUSH ${flushes} times`,
        ...rowOf(report),
        overAdmission: used - report.admittedByStore,
      });
      // What was not heard in time because the machine was busy may have been charged.
      const unheard = report.observed.filter(({ source }) => source !== "store").length;
      expect(used).toBeGreaterThanOrEqual(report.admittedByStore);
      expect(used).toBeLessThanOrEqual(report.admittedByStore + unheard);
      const failed = report.during.filter(({ source }) => source !== "store");
      expect(failed.filter((each) => !report.isDisturbed(each))).toEqual([]);
    }
    expect(flushes).toBeGreaterThan(10);
    // One text per flush and client; the first calls of all found nothing either.
    const loads = (await callsOf("eval")) - before;
    expect(loads).toBeLessThanOrEqual((flushes + 3) * subjects.length);
    expect(lateOf(reports)).toEqual([]);
  });

  it("F22: return the same over both protocols and through all clients", async () => {
    const big = 2 ** 40;
    const seen: unknown[] = [];
    for (const kind of protocolClients) {
      const subject = await openConnected(kind);
      const limits = [
        fixedWindow({ max: big * 4, windowMs: 3_600_000, unit: "tokens" }),
        concurrency({ max: 2 }),
      ];
      const question = { descriptors: [{ kind: "user", id: "big", limits }] };
      const first = await subject.limiter.admit({ ...question, cost: { tokens: big } });
      const permit = expectAdmitted(first);
      const atMax = expectRejected(
        await subject.limiter.admit({ ...question, cost: { tokens: big * 3 + 1 } }),
      );
      await permit.settle({ tokens: big * 5 });
      const debt = await subject.limiter.peek(question);
      const facts = [first, debt].map(({ statuses }) =>
        statuses.map(({ used, remaining, admitted }) => ({ used, remaining, admitted })),
      );
      seen.push({ facts, reason: atMax.reason });
      table.add({ row: "F22", scenario: "RESP2 and RESP3", client: kind.name });
    }
    expect(seen[0]).toMatchObject({
      facts: [
        [{ used: big, remaining: big * 3 }, { used: 1 }],
        [{ used: big * 5, remaining: 0, admitted: false }, { used: 0 }],
      ],
    });
    expect(seen).toEqual(seen.map(() => seen[0]));
  });
});

describe.each(newest)("A server that loses everything, through $name", (kind) => {
  const slots: Question = {
    descriptors: [{ kind: "user", id: "held", limits: [concurrency({ max: 3, leaseMs: 2_000 })] }],
  };

  it("F15: gets the slots back from their holders within a quarter of the lease", async () => {
    const subject = await openConnected(kind);
    const verdicts = await Promise.all([1, 2, 3].map(() => subject.limiter.admit(slots)));
    const permits = verdicts.map(expectAdmitted);
    await server.restart();
    const startMs = performance.now();
    const isAdopted = () => countOf(subject, "lease_adopted") === 3;
    await pollUntil(isAdopted, { what: "all slots are adopted", timeoutMs: 3_000 });
    const recovery = performance.now() - startMs;
    expectRejected(await subject.limiter.admit(slots), "concurrency_exhausted");
    expect(await usedIn(subject, slots)).toBe(3);
    await Promise.all(permits.map((permit) => permit.release()));
    expect(await usedIn(subject, slots)).toBe(0);
    expect(countOf(subject, "lease_lost")).toBe(0);
    expect(failureCodesOf(subject)).not.toContain("SLUICE_STORE_PROTOCOL");
    const slotsBack = "3 of 3 adopted";
    table.add({ row: "F15", scenario: "restarted empty", client: kind.name, recovery, slotsBack });
  });

  it("F16: takes no settle of a window that is gone", async () => {
    const subject = await openConnected(kind);
    const limits = [fixedWindow({ max: 1_000, windowMs: 60_000, unit: "tokens" })];
    const question = { descriptors: [{ kind: "user", id: "gone", limits }] };
    const admit = async () =>
      expectAdmitted(await subject.limiter.admit({ ...question, cost: { tokens: 100 } }));
    const [first, second] = [await admit(), await admit()];
    await server.command("FLUSHALL");
    await first.settle({ tokens: 10 });
    expect(await usedIn(subject, question)).toBe(0);
    await admit();
    await second.refund();
    expect(await usedIn(subject, question)).toBe(100);
    expect(await immortals()).toEqual([]);
    const scenario = "FLUSHALL in a window";
    table.add({ row: "F16", scenario, client: kind.name, overAdmission: 0 });
  });
});

describe("A server that refuses", () => {
  const set = (name: string, value: string | number) => () =>
    server.command("CONFIG", "SET", name, value);

  it("F17: for lack of memory has charged nothing, and takes slots back", async () => {
    const subject = await openConnected(newest[0] as (typeof newest)[number]);
    const limits = [concurrency({ max: 2 })];
    const held = { descriptors: [{ kind: "user", id: "held", limits }] };
    const permit = expectAdmitted(await subject.limiter.admit(held));
    const failures = countOf(subject, "store_failed");
    await refuses("F17", "out of memory, noeviction", {
      begin: set("maxmemory", 1),
      lastsMs: 300,
      end: async () => {
        await permit.release();
        await set("maxmemory", 0)();
      },
    });
    expect(countOf(subject, "store_failed")).toBe(failures);
    expect(await usedIn(subject, held)).toBe(0);
  });

  it("F18: nobody, but throws keys away, begins those afresh", async () => {
    await server.command("CONFIG", "SET", "maxmemory-policy", "allkeys-random");
    const used = Number(
      /used_memory:(\d+)/.exec(String(await server.command("INFO", "memory")))?.[1],
    );
    await server.command("CONFIG", "SET", "maxmemory", used + 500_000);
    try {
      const [{ name, make }] = newest as [(typeof newest)[number]];
      const connect = () => make([server.port]);
      const subject = await connected(openSubject({ name, connect, timeoutMs: PATIENT_MS }));
      const limits = [fixedWindow({ max: 5, windowMs: 3_600_000 }), concurrency({ max: 5 })];
      for (let round = 0; round < 40; round += 1) {
        const verdicts = await Promise.all(
          Array.from({ length: 200 }, (_, id) =>
            subject.limiter.admit({
              descriptors: [{ kind: "user", id: `${round % 20}-${id}-${"x".repeat(40)}`, limits }],
            }),
          ),
        );
        for (const verdict of verdicts) {
          for (const status of verdict.statuses) expect(status.used).toBeGreaterThanOrEqual(0);
          expect(sourceOf(verdict)).toBe("store");
        }
        const permits = verdicts.flatMap((each) => (each.admitted ? [each.permit] : []));
        await Promise.all(permits.map((permit) => permit.refund()));
      }
      const evicted = /evicted_keys:(\d+)/.exec(String(await server.command("INFO", "stats")))?.[1];
      expect(Number(evicted)).toBeGreaterThan(0);
      expect(await immortals()).toEqual([]);
      const scenario = `eviction (${evicted} keys)`;
      table.add({
        row: "F18",
        scenario,
        client: subject.name,
        overAdmission: "as a fresh subject",
      });
    } finally {
      await server.command("CONFIG", "SET", "maxmemory", 0);
      await server.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
    }
  });

  it("F19: because another script runs", async () => {
    const other = await server.connect();
    let loop: Promise<unknown> | undefined;
    await refuses("F19", "BUSY", {
      begin: () => {
        loop = other.command("EVAL", "while true do end", 0).catch(() => "killed");
      },
      lastsMs: 1_000,
      end: () => server.command("SCRIPT", "KILL"),
    });
    expect(await loop).toBe("killed");
    other.close();
  });

  it("F21: without enough replicas", async () => {
    await refuses("F21", "NOREPLICAS", {
      begin: set("min-replicas-to-write", 1),
      lastsMs: 300,
      end: set("min-replicas-to-write", 0),
    });
  });

  it("F21: as a replica", async () => {
    await refuses("F21", "READONLY", {
      begin: () => server.command("REPLICAOF", "127.0.0.1", 1),
      lastsMs: 300,
      end: () => server.command("REPLICAOF", "NO", "ONE"),
    });
  });

  it("F21: because it could not save", async () => {
    await refuses("F21", "MISCONF", {
      begin: () => failSaving(server),
      lastsMs: 300,
      end: set("stop-writes-on-bgsave-error", "no"),
    });
  });

  it("F21: while it loads", async () => {
    for (let key = 0; key < 300; key += 1) await server.command("SET", `filler${key}`, key);
    await set("key-load-delay", 3_000)();
    await set("loading-process-events-interval-bytes", 1_024)();
    let reload: Promise<unknown> | undefined;
    const outage = {
      begin: () => {
        reload = server.command("DEBUG", "RELOAD");
      },
      lastsMs: 1_000,
      end: async () => {
        await reload;
        await set("key-load-delay", 0)();
      },
    };
    // It answers in bursts, so that the breaker may be open.
    await refuses("F21", "LOADING", outage, 2_500);
  });

  it("F19, F21: for a moment is asked again within the deadline", async () => {
    const [kind] = newest as [(typeof newest)[number]];
    const connect = () => kind.make([server.port]);
    // What is tried again within a tenth of a second is known from the unit tests.
    const patient = openSubject({ name: kind.name, connect, timeoutMs: PATIENT_MS });
    const subject = await connected(patient);
    const other = await server.connect();
    const loop = other.command("EVAL", "while true do end", 0).catch(() => "killed");
    const isBusy = async () => String(await server.command("PING").catch(String)).includes("BUSY");
    await pollUntil(isBusy, { what: "the server is busy" });
    const startMs = performance.now();
    const asked = subject.limiter.admit(countedIn("again"));
    await pause(20);
    await server.command("SCRIPT", "KILL");
    const verdict = await asked;
    const worstMs = performance.now() - startMs;
    await loop;
    other.close();
    expect(sourceOf(verdict)).toBe("store");
    const scenario = "BUSY for 20 ms: asked again";
    table.add({ row: "F19", scenario, client: subject.name, worstMs, policy: "store" });
    expect(worstMs).toBeLessThan(PATIENT_MS);
  });
});
