import { describe, expect, it } from "vitest";
import { seededRandom } from "../../random/seeded-random";
import { SimulationClock } from "../engine/simulation-clock";
import type { ServerModel } from "../scenario/scenario";
import { FifoServer } from "./fifo-server";
import type { Job } from "./simulated-server";

/** A server of jobs of 100 ms, and a log of what it says and when. */
function serverOf(model: Partial<ServerModel> = {}) {
  const clock = new SimulationClock();
  const service = { kind: "constant", meanMs: 100 } as const;
  const server = new FifoServer({ slots: 1, service, ...model }, clock, seededRandom(1));
  const log: string[] = [];
  const submit = (name: string, serviceMs?: number): Job => {
    const job: Job = {
      service: serviceMs === undefined ? undefined : () => serviceMs,
      work: undefined,
      onFirstByte: () => void log.push(`${name} first byte ${clock.exactMs}`),
      onDone: () => void log.push(`${name} ${clock.exactMs}`),
    };
    server.submit(job);
    return job;
  };
  return { clock, server, log, submit };
}

describe("FifoServer", () => {
  it("works on as many jobs as it has slots, and starts the others in their order", () => {
    const { clock, server, log, submit } = serverOf({ slots: 2 });
    for (const name of ["a", "b", "c", "d", "e"]) submit(name);
    expect([server.busy, server.queued]).toEqual([2, 3]);
    clock.runUntil(1_000);
    expect(log).toEqual(["a 100", "b 100", "c 200", "d 200", "e 300"]);
    expect([server.busy, server.queued]).toEqual([0, 0]);
  });

  it("lets running work end when slots are taken away, and fills those that are added", () => {
    const { clock, server, log, submit } = serverOf({ slots: 3 });
    for (const name of ["a", "b", "c", "d", "e", "f"]) submit(name);
    server.apply({ atMs: 0, slots: 1 });
    expect(server.busy).toBe(3);
    clock.runUntil(150);
    expect(log).toEqual(["a 100", "b 100", "c 100"]);
    expect(server.busy).toBe(1);
    server.apply({ atMs: 150, slots: 3 });
    clock.runUntil(1_000);
    expect(log.slice(3)).toEqual(["d 200", "e 250", "f 250"]);
  });

  it("gives work that starts after a step the new time, and running work its old one", () => {
    const { clock, server, log, submit } = serverOf();
    submit("a");
    submit("b");
    server.apply({ atMs: 0, service: { kind: "constant", meanMs: 300 } });
    clock.runUntil(1_000);
    expect(log).toEqual(["a 100", "b 400"]);
  });

  it("takes the time of a job that has one of its own", () => {
    const { clock, log, submit } = serverOf();
    submit("a", 7);
    clock.runUntil(100);
    expect(log).toEqual(["a 7"]);
  });

  it("says the first byte of a stream, and holds the slot until its end", () => {
    const firstByte = { kind: "constant", meanMs: 10 } as const;
    const { clock, log, submit } = serverOf({ firstByte });
    submit("a");
    submit("b");
    clock.runUntil(1_000);
    expect(log).toEqual(["a first byte 10", "a 110", "b first byte 120", "b 220"]);
  });
});

describe("FifoServer that hangs", () => {
  it("lets work stand still, that which runs and that which starts, and goes on where it was", () => {
    const { clock, server, log, submit } = serverOf({ slots: 2 });
    submit("a");
    clock.runUntil(40);
    server.apply({ atMs: 40, isHanging: true });
    submit("b");
    submit("c");
    clock.runUntil(10_000);
    expect([server.busy, server.queued, log.length]).toEqual([2, 1, 0]);
    server.apply({ atMs: 10_000, isHanging: false });
    clock.runUntil(20_000);
    expect(log).toEqual(["a 10060", "b 10100", "c 10160"]);
  });
});

describe("FifoServer whose clients give up", () => {
  it.each([
    // Of four jobs on one slot, a (running) and c (waiting) are given up at 50.
    ["finish", ["b 200", "d 400"]],
    ["skip", ["b 200", "d 300"]],
    ["cancel", ["b 150", "d 250"]],
  ] as const)("does with their work as told: %s", (abandoned, expected) => {
    const { clock, server, log, submit } = serverOf({ abandoned });
    const [a, , c] = ["a", "b", "c", "d"].map((name) => submit(name));
    clock.runUntil(50);
    server.abandon(a as Job);
    server.abandon(c as Job);
    server.abandon(c as Job);
    clock.runUntil(1_000);
    expect(log).toEqual(expected);
    expect([server.busy, server.queued]).toEqual([0, 0]);
  });

  it("ignores a job that is over, or that it does not know", () => {
    const { clock, server, log, submit } = serverOf({ abandoned: "cancel" });
    const a = submit("a");
    clock.runUntil(100);
    server.abandon(a);
    server.abandon({ ...a, work: undefined });
    submit("b");
    clock.runUntil(300);
    expect(log).toEqual(["a 100", "b 200"]);
  });
});
