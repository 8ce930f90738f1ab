import { concurrency, systemClock } from "@sluice/core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startFaultProxy } from "../../../../../tools/redis/fault-proxy";
import { pollUntil } from "../../../../../tools/redis/poll-until";
import { type RedisServer, startServer } from "../../../../../tools/redis/redis-server";
import type { Clock } from "../../../src/clock/clock";
import { admitOperation } from "../../../src/redis/wire/admit";
import { releaseOperation } from "../../../src/redis/wire/release";
import { renewOperation } from "../../../src/redis/wire/renew";
import { expectAdmitted, expectRejected } from "../../verdicts";
import { singleClients } from "../executor/clients";
import { pause } from "../executor/stage";
import { TwinServer } from "../twin/twin-server";
import { isNewest } from "./fault-clients";
import { FaultTable } from "./fault-table";
import { contend, holderCrashes, liveLeases, openOn, slotsOf, takeOne } from "./slots";
import { closeSubjects, countOf, freshPrefix, openSubject, usedIn } from "./subject";

const table = new FaultTable("Slots");
const newest = singleClients.filter(isNewest);

let server: RedisServer;

beforeAll(async () => {
  server = await startServer();
});
afterEach(closeSubjects);
afterAll(async () => {
  table.print();
  await server.stop();
});

describe("Slots", () => {
  it("F74: are never more than there are", () => contend(table, isNewest, server, 2_000));

  it("F75: of a process that crashed are back", () => holderCrashes(table, "ioredis", server));

  it.each(newest)("F76: are freed once, by their holder: $name", async (kind) => {
    const subject = openOn(kind, server.port);
    const question = slotsOf("twice", 3);
    const first = await takeOne(subject, question);
    const second = expectAdmitted(await subject.limiter.admit(question));
    await Promise.all([first.release(), first.release()]);
    await first.release();
    expect(await usedIn(subject, question)).toBe(1);
    const limits = [concurrency({ max: 3 })];
    const targets = [{ kind: "user", id: "twice", limits }];
    for (const operationId of ["nobody", first.id]) {
      await subject.store.release({ type: "release", operationId, targets });
    }
    expect(await usedIn(subject, question)).toBe(1);
    await second.release();
    expect(await usedIn(subject, question)).toBe(0);
    const row = { row: "F76", scenario: "released twice, foreign id", client: kind.name };
    table.add({ ...row, slotsBack: "each once", overAdmission: 0 });
  });

  it("F77: are renewed to the last millisecond before they expire, and not after", async () => {
    const prefix = freshPrefix();
    const twin = await TwinServer.open(server.port, prefix);
    const limit = concurrency({ max: 1, leaseMs: 1_000 });
    const key = { kind: "user", id: "edge" };
    const admit = (operationId: string, nowMs: number) => {
      const targets = [{ ...key, limits: [limit] }];
      const cost = { requests: 1 };
      return twin.run(
        admitOperation,
        [{ type: "admit", operationId, serial: 1, cost, targets }],
        nowMs,
      );
    };
    const renew = async (operationId: string, expiresAtMs: number, nowMs: number) => {
      const targets = [{ ...key, leases: [{ limit, operationId, expiresAtMs }] }];
      const [reply] = await twin.run(
        renewOperation,
        [{ type: "renew", serial: 1, targets }],
        nowMs,
      );
      return reply;
    };
    const startMs = 1_700_000_000_000;
    await admit("a", startMs);
    expect(await renew("a", startMs + 1_000, startMs + 999)).toMatchObject({
      leases: [{ fate: "renewed", expiresAtMs: startMs + 1_999 }],
    });
    // Nobody else wants the slot, and still it is lost.
    expect(await renew("a", startMs + 1_999, startMs + 1_999)).toMatchObject({
      leases: [{ fate: "lost" }],
    });
    expect(await admit("b", startMs + 1_999)).toMatchObject([{ admitted: true }]);
    const targets = [{ ...key, limits: [limit] }];
    await twin.run(
      releaseOperation,
      [{ type: "release", operationId: "a", targets }],
      startMs + 2_000,
    );
    expect(await admit("c", startMs + 2_000)).toMatchObject([{ admitted: false }]);
    twin.close();
    table.add({
      row: "F77",
      scenario: "renewed at expiry -1 and at expiry",
      client: "given time",
      slotsBack: "kept, lost",
    });
  });

  it.each(newest)("F78: that are renewed and freed at once are free: $name", async (kind) => {
    const subject = openOn(kind, server.port);
    const question = slotsOf("race", 20, 400);
    const one = await takeOne(subject, question);
    await one.release();
    for (let round = 0; round < 4; round += 1) {
      const verdicts = await Promise.all(
        Array.from({ length: 20 }, () => subject.limiter.admit(question)),
      );
      // They are renewed after 100 ms: freed around that, each at another time.
      await Promise.all(
        verdicts.map(async (verdict, index) => {
          await pause(90 + index);
          await expectAdmitted(verdict).release();
        }),
      );
      // What could not be sent in time is sent again.
      const left = () => usedIn(subject, question);
      await pollUntil(async () => (await left()) === 0, { what: "all are free", timeoutMs: 350 });
    }
    expect(countOf(subject, "lease_lost")).toBe(0);
    table.add({
      row: "F78",
      scenario: "renewals race 80 releases",
      client: kind.name,
      slotsBack: "80 of 80",
    });
  });

  const loseRenewals = async (kind: (typeof newest)[number]) => {
    const proxy = await startFaultProxy(server.port);
    const subject = openSubject({ name: kind.name, connect: () => kind.make([proxy.port]) });
    const leaseMs = 2_000;
    const permit = await takeOne(subject, slotsOf("lost", 1, leaseMs));
    proxy.blackHole();
    await pause(leaseMs * 0.55);
    proxy.resetAll();
    await proxy.forward();
    await pause(leaseMs * 0.75);
    expect(permit.lost.aborted).toBe(false);
    expect(await liveLeases(server, subject.prefix)).toBe(1);
    proxy.blackHole();
    let toldMs = 0;
    permit.lost.addEventListener("abort", () => {
      toldMs = performance.now();
    });
    const isFree = async () => (await liveLeases(server, subject.prefix)) === 0;
    await pollUntil(isFree, { what: "the lease has run out", timeoutMs: 3_000 });
    const freedMs = performance.now();
    await pollUntil(() => toldMs > 0, { what: "the holder is told" });
    proxy.resetAll();
    await proxy.forward();
    await pause(300);
    expect(countOf(subject, "lease_lost")).toBe(1);
    await proxy.stop();
    const recovery = `told ${Math.round(toldMs - freedMs)} ms after the server freed it`;
    table.add({
      row: "F80",
      scenario: "renewals lost for a whole lease",
      client: kind.name,
      recovery,
    });
    expect(toldMs - freedMs).toBeLessThan(50);
  };

  it("F80: outlast two lost renewals, and not more", async () => {
    await Promise.all(newest.map(loseRenewals));
  });

  it.each([-600_000, 600_000])(
    "F82: do not depend on the clock of a process: %d ms",
    async (skewMs) => {
      const system = systemClock();
      const clock: Clock = {
        nowMs: () => system.nowMs() + skewMs,
        after: (...args) => system.after(...args),
      };
      const kind = newest[0] as (typeof newest)[number];
      const prefix = freshPrefix();
      const right = openSubject({ connect: () => kind.make([server.port]), prefix });
      const skewed = openSubject({ connect: () => kind.make([server.port]), prefix, clock });
      const question = slotsOf("skew", 2, 600);
      const one = await takeOne(right, question);
      const two = await takeOne(skewed, question);
      await pause(1_000);
      for (const subject of [right, skewed]) {
        expectRejected(await subject.limiter.admit(question), "concurrency_exhausted");
        expect(countOf(subject, "lease_lost") + countOf(subject, "lease_adopted")).toBe(0);
      }
      await Promise.all([one.release(), two.release()]);
      expect(await usedIn(right, question)).toBe(0);
      const scenario = `clock of a holder ${skewMs / 60_000} min`;
      table.add({ row: "F82", scenario, client: kind.name, overAdmission: 0, slotsBack: "2 of 2" });
    },
  );

  it.each(newest)("F84: that are held stay when the cap is lowered: $name", async (kind) => {
    const subject = openOn(kind, server.port);
    const held = [await takeOne(subject, slotsOf("lowered", 10))];
    for (let index = 1; index < 8; index += 1) {
      held.push(expectAdmitted(await subject.limiter.admit(slotsOf("lowered", 10))));
    }
    const lowered = slotsOf("lowered", 3);
    for (const [index, permit] of held.entries()) {
      const isFull = held.length - index >= 3;
      const verdict = await subject.limiter.admit(lowered);
      expect(verdict.admitted).toBe(!isFull);
      if (verdict.admitted) await verdict.permit.release();
      await permit.release();
    }
    expect(await usedIn(subject, lowered)).toBe(0);
    table.add({
      row: "F84",
      scenario: "cap 10 to 3 with 8 held",
      client: kind.name,
      overAdmission: 0,
      slotsBack: "8 of 8",
    });
  });
});
