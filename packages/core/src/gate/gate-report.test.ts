import { FakeClock } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { permitOf } from "../../test/gate/ask";
import type { SluiceEvent } from "../event/event";
import { createGate } from "./create-gate";
import type { Gate, GateRejected, GateVerdict } from "./gate";
import type { GateOptions } from "./gate-options";

/** A gate of cap 1 without a queue, with the events that it reports. */
function reportingGate(options: Partial<GateOptions> = {}) {
  const clock = new FakeClock();
  const events: SluiceEvent[] = [];
  const recorder = { record: (event: SluiceEvent) => void events.push(event) };
  const gate = createGate({ maxInFlight: 1, queue: { max: 0 }, clock, recorder, ...options });
  return { clock, events, gate };
}

describe("the events of a gate", () => {
  it("tell who was let in after which wait, who was refused and why, and how work ended", async () => {
    const { clock, events, gate } = reportingGate({ name: "front", queue: { max: 1 } });
    const first = await permitOf(gate.enter());
    const waiter = gate.enter();
    await gate.enter();
    clock.advance(40);
    first.end();
    const second = await permitOf(waiter);
    clock.advance(5);
    second.firstByte();
    clock.advance(5);
    second.end("dropped");
    const full = { reason: "queue_full", waitedMs: 0, inFlight: 1, queued: 1, shadow: false };
    expect(events).toEqual([
      { type: "gate_admitted", gate: "front", waitedMs: 0, shadow: false },
      { type: "gate_rejected", gate: "front", ...full },
      { type: "gate_ended", gate: "front", outcome: "success", heldMs: 40 },
      { type: "gate_admitted", gate: "front", waitedMs: 40, shadow: false },
      { type: "gate_ended", gate: "front", outcome: "dropped", heldMs: 10, firstByteMs: 5 },
    ]);
  });

  it("tell how long a refused waiter had waited", async () => {
    const { clock, events, gate } = reportingGate({ queue: { max: 1, timeoutMs: 70 } });
    await permitOf(gate.enter());
    void gate.enter();
    clock.advance(70);
    const counts = { waitedMs: 70, inFlight: 1, queued: 0, shadow: false };
    expect(events.at(-1)).toEqual({
      type: "gate_rejected",
      gate: "gate",
      reason: "queue_timeout",
      ...counts,
    });
  });

  it("tell how long those had waited whom draining refuses", async () => {
    const { clock, events, gate } = reportingGate({ queue: { max: 1 } });
    await permitOf(gate.enter());
    clock.advance(100);
    void gate.enter();
    clock.advance(30);
    void gate.drain();
    expect(events.at(-1)).toMatchObject({ reason: "draining", waitedMs: 30 });
  });

  it("tell in shadow mode both the refusal that was not enforced and the admission", async () => {
    const { events, gate } = reportingGate({ mode: "shadow" });
    await permitOf(gate.enter());
    await permitOf(gate.enter());
    const full = { reason: "queue_full", waitedMs: 0, inFlight: 1, queued: 0, shadow: true };
    expect(events.slice(1)).toEqual([
      { type: "gate_rejected", gate: "gate", ...full },
      { type: "gate_admitted", gate: "gate", waitedMs: 0, shadow: true },
    ]);
  });

  it("R020 cannot change what the gate does when the recorder throws", async () => {
    const recorder = {
      record: () => {
        throw new Error("broken recorder");
      },
    };
    const { gate } = reportingGate({ recorder });
    const permit = await permitOf(gate.enter());
    expect((await gate.enter()).admitted).toBe(false);
    permit.end();
    permit.end();
    await permitOf(gate.enter());
    expect(gate.stats()).toMatchObject({ inFlight: 1, admitted: 2, rejected: 1 });
  });
});

describe("onReject", () => {
  it("sees the refusal, and what it returns travels with the verdict", async () => {
    const seen: GateRejected[] = [];
    const onReject = (rejected: GateRejected) => {
      seen.push(rejected);
      return { text: "from the cache" };
    };
    const { gate } = reportingGate({ onReject });
    await permitOf(gate.enter());
    const verdict = await gate.enter();
    expect(seen).toMatchObject([{ rejection: { reason: "queue_full" }, inFlight: 1, queued: 0 }]);
    expect(verdict).toEqual({ ...seen[0], degraded: { text: "from the cache" } });
    expect(gate.stats().rejected).toBe(1);
  });

  it.each([
    { case: "returns nothing", onReject: () => undefined },
    {
      case: "throws",
      onReject: () => {
        throw new Error("no answer left");
      },
    },
  ])("leaves a plain refusal when it $case", async ({ onReject }) => {
    const { gate } = reportingGate({ onReject });
    await permitOf(gate.enter());
    const verdict = await gate.enter();
    expect(verdict.admitted).toBe(false);
    expect("degraded" in verdict).toBe(false);
  });

  it("may return what is falsy", async () => {
    const { gate } = reportingGate({ onReject: () => null });
    await permitOf(gate.enter());
    expect(await gate.enter()).toMatchObject({ admitted: false, degraded: null });
  });

  it("is asked for every enforced reason, and not in shadow", async () => {
    const reasons: string[] = [];
    const onReject = ({ rejection }: GateRejected) => void reasons.push(rejection.reason);
    const { clock, gate } = reportingGate({ onReject, queue: { max: 1 } });
    await permitOf(gate.enter());
    void gate.enter();
    await gate.enter();
    clock.advance(1000);
    await gate.enter({ deadlineMs: 0 });
    await gate.enter({ signal: AbortSignal.abort() });
    gate.update({ mode: "shadow" });
    await gate.enter();
    void gate.drain();
    await gate.enter();
    expect(reasons).toEqual([
      "queue_full",
      "queue_timeout",
      "deadline_unreachable",
      "aborted",
      "draining",
    ]);
  });
});

describe("a callback that calls the gate", () => {
  it("finds the counts complete at every event", async () => {
    const seen: string[] = [];
    const gates: Gate[] = [];
    const recorder = {
      record: ({ type }: SluiceEvent) => {
        const { inFlight = -1, queued = -1 } = gates[0]?.stats() ?? {};
        seen.push(`${type} ${inFlight}/${queued}`);
      },
    };
    const { gate } = reportingGate({ recorder, queue: { max: 1 } });
    gates.push(gate);
    const first = await permitOf(gate.enter());
    const waiter = gate.enter();
    await gate.enter();
    first.end();
    (await permitOf(waiter)).end();
    expect(seen).toEqual([
      "gate_admitted 1/0",
      "gate_rejected 1/1",
      "gate_ended 0/1",
      "gate_admitted 1/0",
      "gate_ended 0/0",
    ]);
  });

  it("cannot pass a waiter by entering when a slot comes free", async () => {
    const late: Promise<GateVerdict>[] = [];
    const gates: Gate[] = [];
    const recorder = {
      record: ({ type }: SluiceEvent) => {
        const [gate] = gates;
        if (type === "gate_ended" && late.length === 0 && gate) late.push(gate.enter());
      },
    };
    const { gate } = reportingGate({ recorder, queue: { max: 2 } });
    gates.push(gate);
    const running = await permitOf(gate.enter());
    const waiter = gate.enter();
    running.end();
    expect(gate.stats()).toMatchObject({ inFlight: 1, queued: 1 });
    (await permitOf(waiter)).end();
    expect((await late[0])?.admitted).toBe(true);
  });

  it("may drain the gate from onReject while waiters are being refused", async () => {
    const gates: Gate[] = [];
    const drains: Promise<void>[] = [];
    const onReject = () => {
      const [gate] = gates;
      if (gate) drains.push(gate.drain());
    };
    const { clock, gate } = reportingGate({ onReject, queue: { max: 3, timeoutMs: 10 } });
    gates.push(gate);
    const running = await permitOf(gate.enter());
    const waiters = [gate.enter(), gate.enter(), gate.enter()];
    clock.advance(10);
    const reasons = (await Promise.all(waiters)).map((verdict) =>
      verdict.admitted ? "admitted" : verdict.rejection.reason,
    );
    expect(reasons).toEqual(["queue_timeout", "draining", "draining"]);
    running.end();
    await Promise.all(drains);
    expect(gate.stats()).toMatchObject({ inFlight: 0, queued: 0, rejected: 3 });
    expect(clock.isIdle).toBe(true);
  });
});

describe("A permit", () => {
  it("says why its request would have been refused, if it would have been", async () => {
    const gate = createGate({ maxInFlight: 1, mode: "shadow", clock: new FakeClock() });
    const [first, second] = [await gate.enter(), await gate.enter()];
    expect(first.admitted && first.permit.wouldReject).toBe(undefined);
    expect(second.admitted && second.permit.wouldReject).toBe("queue_full");
  });
});
