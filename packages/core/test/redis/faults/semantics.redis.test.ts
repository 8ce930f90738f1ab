import { concurrency, fixedWindow, InvalidOptionsError, type Question } from "@sluice/core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startFaultProxy } from "../../../../../tools/redis/fault-proxy";
import { pollUntil } from "../../../../../tools/redis/poll-until";
import { type RedisServer, startServer } from "../../../../../tools/redis/redis-server";
import { expectAdmitted, expectRejected } from "../../verdicts";
import { type ClientKind, singleClients } from "../executor/clients";
import { pause } from "../executor/stage";
import { isNewest } from "./fault-clients";
import { FaultTable } from "./fault-table";
import { liveLeases, slotsOf, takeOne } from "./slots";
import { closeSubjects, failureCodesOf, openSubject, type Subject, usedIn } from "./subject";
import { sourceOf } from "./traffic";

const table = new FaultTable("Semantics under concurrency");
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

const HOUR_MS = 3_600_000;

const windowOf = (id: string, max: number, windowMs = HOUR_MS): Question => {
  return { descriptors: [{ kind: "user", id, limits: [fixedWindow({ max, windowMs })] }] };
};

/** A busy machine must not turn any of this into a time-out. */
const PATIENT_MS = 2_000;

async function connected(kind: ClientKind, port = server.port): Promise<Subject> {
  const connect = () => kind.make([port]);
  const subject = openSubject({ name: kind.name, connect, timeoutMs: PATIENT_MS });
  const isThere = async () => (await usedIn(subject, windowOf("nobody", 1))) === 0;
  await pollUntil(isThere, { what: `${kind.name} is connected` });
  return subject;
}

const many = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

describe.each(newest)("Through $name", (kind) => {
  const add = (row: string, scenario: string, more: object = { overAdmission: 0 }) =>
    table.add({ row, scenario, client: kind.name, ...more });

  it("F45: of 1 000 questions at once exactly as many are admitted as fit", async () => {
    const { limiter, ...subject } = await connected(kind);
    const question = windowOf("many", 100);
    const verdicts = await many(1_000, () => limiter.admit(question));
    const refused = verdicts.filter(({ admitted }) => !admitted);
    expect(refused.length).toBe(900);
    for (const verdict of refused) {
      const { retryAfterMs = 0 } = expectRejected(verdict, "window_exhausted");
      expect(retryAfterMs).toBeGreaterThan(0);
      expect(retryAfterMs).toBeLessThanOrEqual(HOUR_MS);
    }
    expect(await usedIn({ limiter, ...subject }, question)).toBe(100);
    add("F45", "1 000 at once, limit 100");
  });

  it("F47: 1 000 refusals by one limit charge nothing to another", async () => {
    const subject = await connected(kind);
    const [wide] = windowOf("wide", 10_000).descriptors;
    const [full] = windowOf("full", 0).descriptors;
    const question = { descriptors: [wide, full] as Question["descriptors"] };
    const verdicts = await many(1_000, () => subject.limiter.admit(question));
    expect(verdicts.some(({ admitted }) => admitted)).toBe(false);
    expect(await usedIn(subject, windowOf("wide", 10_000))).toBe(0);
    add("F47", "second limit full, 1 000 refusals");
  });

  it("F48: cost 0, all, too much, and a limit of 0", async () => {
    const { limiter } = await connected(kind);
    const ask = (requests: number, max = 5) =>
      limiter.admit({ ...windowOf(`edges${max}`, max), cost: { requests } });
    expect((await ask(0)).admitted).toBe(true);
    const never = expectRejected(await ask(6), "cost_exceeds_limit");
    expect(never).toMatchObject({ retryable: false });
    expect(never.retryAfterMs).toBeUndefined();
    expect((await ask(5)).admitted).toBe(true);
    expectRejected(await ask(0), "window_exhausted");
    expectRejected(await ask(1), "window_exhausted");
    expectRejected(await ask(0, 0), "cost_exceeds_limit");
    add("F48", "cost 0, L, L + 1; limit 0");
  });

  it("F49: costs that are no counts are refused before anything is sent", async () => {
    const { limiter, ...subject } = await connected(kind);
    const bad: unknown[] = [Number.NaN, Infinity, -Infinity, 1.5, -1, 2 ** 53, "10", "1e3", "0x10"];
    for (const requests of bad) {
      const asked = limiter.admit({
        ...windowOf("bad", 5),
        cost: { requests: requests as number },
      });
      await expect(asked).rejects.toBeInstanceOf(InvalidOptionsError);
    }
    expect(await server.command("KEYS", `${subject.prefix}*`)).toEqual([]);
    add("F49", "costs that are no counts");
  });

  it("F51: a limit that was raised is asked for at once", async () => {
    const { limiter } = await connected(kind);
    expect((await limiter.admit(windowOf("raised", 1))).admitted).toBe(true);
    expectRejected(await limiter.admit(windowOf("raised", 1)), "window_exhausted");
    expect((await limiter.admit(windowOf("raised", 2))).admitted).toBe(true);
    add("F51", "limit raised after a refusal");
  });

  it("F54, F58: a reservation is settled once: down, up, equal, to 0 and beyond", async () => {
    const subject = await connected(kind);
    const limits = [fixedWindow({ max: 1_000, windowMs: HOUR_MS, unit: "tokens" })];
    const question = { descriptors: [{ kind: "user", id: "settled", limits }] };
    const reserve = async (tokens: number) =>
      expectAdmitted(await subject.limiter.admit({ ...question, cost: { tokens } }));
    const used = () => usedIn(subject, question);
    const down = await reserve(100);
    await Promise.all([down.settle({ tokens: 40 }), down.settle({ tokens: 90 }), down.refund()]);
    expect(await used()).toBe(40);
    const up = await reserve(100);
    await up.settle({ tokens: 150 });
    expect(await used()).toBe(190);
    await (await reserve(10)).settle({ tokens: 10 });
    await (await reserve(10)).settle({ tokens: 0 });
    expect(await used()).toBe(200);
    const refunded = await reserve(50);
    await refunded.refund();
    await refunded.settle({ tokens: 500 });
    expect(await used()).toBe(200);
    await (await reserve(100)).settle({ tokens: 5_000 });
    expect(await used()).toBe(5_200);
    expectRejected(
      await subject.limiter.admit({ ...question, cost: { tokens: 1 } }),
      "window_exhausted",
    );
    add("F54", "settled down, up, equal, to 0, twice");
    add("F58", "settled beyond the limit", { overAdmission: "as debt" });
  });

  it("F55: a refund after its window has ended changes nothing", async () => {
    const subject = await connected(kind);
    const question = windowOf("rolled", 10, 150);
    const permit = expectAdmitted(await subject.limiter.admit(question));
    await pause(160);
    await many(3, () => subject.limiter.admit(question));
    const before = await subject.limiter.peek(question);
    await permit.refund();
    const after = await subject.limiter.peek(question);
    // If the second window has ended too, there is nothing left to be wrong about.
    const isSame = (after.statuses[0]?.resetAfterMs ?? 0) > 0;
    expect(after.statuses[0]?.used).toBe(isSame ? before.statuses[0]?.used : 0);
    add("F55", "refund after the window");
  });

  it("F64: a release that is lost is sent again", async () => {
    const proxy = await startFaultProxy(server.port);
    const connect = () => kind.make([proxy.port]);
    const subject = openSubject({ name: kind.name, connect });
    const permit = await takeOne(subject, slotsOf("unheard", 1));
    proxy.blackHole();
    await permit.release();
    expect(await liveLeases(server, subject.prefix)).toBe(1);
    proxy.resetAll();
    await proxy.forward();
    const startMs = performance.now();
    const isFree = async () => (await liveLeases(server, subject.prefix)) === 0;
    await pollUntil(isFree, { what: "the slot is free", timeoutMs: 5_000 });
    const recovery = performance.now() - startMs;
    await proxy.stop();
    add("F64", "release lost, lease 30 s", { slotsBack: "1 of 1", recovery });
  });

  it("F65: a bad question among 64 fails alone, and the others keep their order", async () => {
    const { limiter } = await connected(kind);
    const question = windowOf("batch", 40);
    const outcomes = await many(64, async (index) => {
      const cost = { requests: index === 20 ? -1 : 1 };
      return limiter.admit({ ...question, cost }).then(
        ({ admitted }) => admitted,
        (error: unknown) => error,
      );
    });
    expect(outcomes[20]).toBeInstanceOf(InvalidOptionsError);
    const others = outcomes.filter((_, index) => index !== 20);
    expect(others).toEqual([...new Array(40).fill(true), ...new Array(23).fill(false)]);
    add("F65", "64 at once, one of them invalid");
  });

  it("F67: of 64 in one call whose reply is lost each is unknown by itself", async () => {
    const proxy = await startFaultProxy(server.port);
    const subject = await connected(kind, proxy.port);
    const question = windowOf("unknown", 1_000);
    await subject.limiter.admit(question);
    void proxy.swallowReplies(1);
    const verdicts = await many(64, () => subject.limiter.admit(question));
    const heard = verdicts.filter(({ admitted }) => admitted).length;
    const unknown = verdicts.filter((verdict) => sourceOf(verdict) === "policy").length;
    expect(unknown).toBeGreaterThan(0);
    expect(heard + unknown).toBe(64);
    const used = await pollUntil(() => usedIn(subject, question), { what: "it is back" });
    expect(used).toBeGreaterThanOrEqual(1 + heard);
    expect(used).toBeLessThanOrEqual(1 + 64);
    expect(failureCodesOf(subject)).toContain("SLUICE_STORE_UNREACHABLE");
    await proxy.stop();
    add("F67", "64 calls, connection lost", {
      policy: `${unknown} of 64`,
      overAdmission: `+${used - 1 - heard}`,
    });
  });

  it("F70: a shadow limit that is over charges and refuses nothing", async () => {
    const subject = await connected(kind);
    const limits = [
      fixedWindow({ max: 10, windowMs: HOUR_MS, name: "real" }),
      fixedWindow({ max: 1, windowMs: HOUR_MS, name: "shadow", mode: "shadow" }),
    ];
    const question = { descriptors: [{ kind: "user", id: "shadowed", limits }] };
    const verdicts = [await subject.limiter.admit(question), await subject.limiter.admit(question)];
    expect(verdicts.map(({ admitted }) => admitted)).toEqual([true, true]);
    expect(verdicts[1]?.statuses).toMatchObject([{ used: 2 }, { used: 1, wouldReject: true }]);
    add("F70", "shadow limit over");
  });

  it("F73: every id has a key of its own, of at most 200 bytes", async () => {
    const subject = await connected(kind);
    const ids = ["a{b}", "a:b", "a}b", "\n", "__proto__", "é", "e\u0301", "x".repeat(10_000), " "];
    const lists = [...ids.map((id) => [id]), ["a", "b"], ["x".repeat(9_999), "x"]];
    for (const id of lists) {
      const limits = [fixedWindow({ max: 1, windowMs: HOUR_MS }), concurrency({ max: 1 })];
      const question = { descriptors: [{ kind: "user", id, limits }] };
      const permit = expectAdmitted(await subject.limiter.admit(question));
      expectRejected(await subject.limiter.admit(question));
      await permit.release();
    }
    const keys = (await server.command("KEYS", `${subject.prefix}*`)) as string[];
    const chains = keys.filter((key) => !/[~!]/.test(key));
    expect(chains.length).toBe(lists.length);
    for (const key of keys) expect(Buffer.byteLength(key)).toBeLessThanOrEqual(200);
    add("F73", `${lists.length} hostile ids`);
  });
});
