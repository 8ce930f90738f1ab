import type { AdaptiveLimit, LimitSample } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { SimulationClock } from "../engine/simulation-clock";
import type { Visitor } from "./door";
import { LimitDoor, type LimitDoorOptions } from "./limit-door";

/** A limit of 2 that notes what it is told, and gives probes as often as it is set to. */
class NotingLimit implements AdaptiveLimit {
  readonly limit = 2;
  readonly samples: LimitSample[] = [];
  fulls = 0;
  probes = 0;
  onSample(sample: LimitSample): void {
    this.samples.push(sample);
  }
  onFull(): void {
    this.fulls += 1;
  }
  takeProbe(): boolean {
    this.probes -= 1;
    return this.probes >= 0;
  }
  onChange(): () => void {
    return () => {};
  }
  freeze(): void {}
  unfreeze(): void {}
  useStatic(): void {}
}

function doorOf(options: Partial<LimitDoorOptions> = {}) {
  const clock = new SimulationClock();
  const limit = new NotingLimit();
  const door = new LimitDoor(limit, clock, { heldUntil: "end", sampledAt: "end", ...options });
  const answers: string[] = [];
  const enter = (): Visitor => {
    const visitor: Visitor = {
      class: undefined,
      fairnessKey: undefined,
      patienceMs: Number.POSITIVE_INFINITY,
      source: "requests",
      pass: undefined,
      onAdmitted: () => void answers.push("admitted"),
      onRejected: (reason) => void answers.push(reason),
      onFailed: (error) => void answers.push(String(error)),
    };
    door.enter(visitor);
    return visitor;
  };
  return { clock, limit, door, answers, enter };
}

describe("LimitDoor", () => {
  it("lets in up to the limit, refuses beyond it, and says that there was demand", () => {
    const { door, limit, answers, enter } = doorOf();
    const [first] = [enter(), enter(), enter()];
    expect(answers).toEqual(["admitted", "admitted", "queue_full"]);
    expect([door.inFlight, limit.fulls]).toEqual([2, 1]);
    door.end(first as Visitor, "success");
    enter();
    expect(answers.at(-1)).toBe("admitted");
  });

  it("lets one in beyond the limit when the limit probes", () => {
    const { door, limit, answers, enter } = doorOf();
    limit.probes = 1;
    for (let each = 0; each < 4; each++) enter();
    expect(answers).toEqual(["admitted", "admitted", "admitted", "queue_full"]);
    expect(door.inFlight).toBe(3);
  });

  it("samples whole milliseconds, and what was in flight at the start", () => {
    const { clock, door, limit, enter } = doorOf();
    clock.runUntil(10.9);
    const [first, second] = [enter(), enter()];
    clock.runUntil(30.2);
    door.end(second as Visitor, "dropped");
    door.end(first as Visitor, "success");
    expect(limit.samples).toEqual([
      { latencyMs: 20, inFlight: 2, outcome: "dropped" },
      { latencyMs: 20, inFlight: 1, outcome: "success" },
    ]);
  });

  it.each([
    { heldUntil: "end", sampledAt: "end", held: [1, 0], latencies: [50] },
    { heldUntil: "end", sampledAt: "first-byte", held: [1, 0], latencies: [20] },
    { heldUntil: "first-byte", sampledAt: "first-byte", held: [0, 0], latencies: [20] },
    { heldUntil: "first-byte", sampledAt: "end", held: [0, 0], latencies: [50] },
  ] as const)(
    "holds until $heldUntil and samples at $sampledAt",
    ({ heldUntil, sampledAt, held, latencies }) => {
      const { clock, door, limit, enter } = doorOf({ heldUntil, sampledAt });
      const visitor = enter();
      clock.runUntil(20);
      door.firstByte(visitor);
      const inFlight = [door.inFlight];
      clock.runUntil(50);
      door.end(visitor, "success");
      expect([...inFlight, door.inFlight]).toEqual(held);
      expect(limit.samples.map((sample) => sample.latencyMs)).toEqual(latencies);
    },
  );
});
