import { describe, expect, it } from "vitest";
import { seededRandom } from "../../random/seeded-random";
import { SimulationClock } from "../engine/simulation-clock";
import type { ServerModel } from "../scenario/scenario";
import { SharingServer } from "./sharing-server";
import type { Job } from "./simulated-server";

/** A server of jobs of 100 ms, and a log of who ended when. */
function serverOf(model: Partial<ServerModel> = {}) {
  const clock = new SimulationClock();
  const service = { kind: "constant", meanMs: 100 } as const;
  const server = new SharingServer({ slots: 1, service, ...model }, clock, seededRandom(1));
  const log: string[] = [];
  const submit = (name: string, serviceMs?: number): Job => {
    const job: Job = {
      service: serviceMs === undefined ? undefined : () => serviceMs,
      work: undefined,
      onFirstByte: () => {},
      onDone: () => void log.push(`${name} ${Math.round(clock.exactMs * 1e6) / 1e6}`),
    };
    server.submit(job);
    return job;
  };
  return { clock, server, log, submit };
}

describe("SharingServer", () => {
  it("works at full speed on as many jobs as it has slots", () => {
    const { clock, log, submit } = serverOf({ slots: 2 });
    submit("a");
    submit("b");
    clock.runUntil(1_000);
    expect(log).toEqual(["a 100", "b 100"]);
  });

  it("shares the slots when there are more jobs, and speeds up when jobs end", () => {
    const { clock, server, log, submit } = serverOf();
    // a alone for 20 ms; a and b at half speed until a has its 100 (at 180); b then alone.
    submit("a");
    clock.runUntil(20);
    submit("b");
    expect([server.busy, server.queued]).toEqual([2, 0]);
    clock.runUntil(1_000);
    expect(log).toEqual(["a 180", "b 200"]);
  });

  it("does work of slots x time in any interval in which there is enough of it", () => {
    const { clock, log, submit } = serverOf({ slots: 3 });
    const random = seededRandom(9);
    const times = Array.from({ length: 40 }, () => 10 + random.next() * 200);
    for (const [index, ms] of times.entries()) submit(String(index), ms);
    clock.runUntil(100_000);
    const last = Number(log.at(-1)?.split(" ")[1]);
    const all = times.reduce((sum, ms) => sum + ms, 0);
    // Only the two longest jobs are ever without the whole server.
    const sorted = [...times].sort((a, b) => b - a);
    const [first = 0, second = 0, third = 0] = sorted;
    const idleMs = 2 * (first - second) + (second - third);
    expect(log).toHaveLength(40);
    expect(last * 3).toBeCloseTo(all + idleMs, 4);
  });

  it("follows steps of slots, and stands still while it hangs", () => {
    const { clock, server, log, submit } = serverOf({ slots: 2 });
    submit("a");
    submit("b");
    clock.runUntil(50);
    server.apply({ atMs: 50, slots: 1 });
    clock.runUntil(70);
    server.apply({ atMs: 70, isHanging: true });
    clock.runUntil(1_000);
    expect(log).toEqual([]);
    server.apply({ atMs: 1_000, isHanging: false });
    // 50 ms at full speed and 20 at half of it leave 40 each: 80 more at half speed.
    clock.runUntil(2_000);
    expect(log).toEqual(["a 1080", "b 1080"]);
  });

  it.each([
    ["finish", ["b 200"]],
    ["skip", ["b 200"]],
    ["cancel", ["b 140"]],
  ] as const)("does with work whose client gave up as told: %s", (abandoned, expected) => {
    const { clock, server, log, submit } = serverOf({ abandoned });
    const a = submit("a");
    submit("b");
    clock.runUntil(80);
    server.abandon(a);
    server.abandon(a);
    clock.runUntil(1_000);
    expect(log).toEqual(expected);
    expect(server.busy).toBe(0);
  });
});
