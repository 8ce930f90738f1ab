import { describe, expect, it } from "vitest";
import { createGate } from "./create-gate";

describe("the room of a gate", () => {
  it("is there while a slot is free", async () => {
    const gate = createGate({ maxInFlight: 2, queue: { max: 1 } });
    expect(gate.hasRoom).toBe(true);
    const first = await gate.enter();
    expect(gate.hasRoom).toBe(true);
    await gate.enter();
    expect(gate.hasRoom).toBe(false);
    if (first.admitted) first.permit.end();
    expect(gate.hasRoom).toBe(true);
  });

  it("is not there for a newcomer while somebody waits", async () => {
    const gate = createGate({ maxInFlight: 1, queue: { max: 1 } });
    const holder = await gate.enter();
    const waiting = gate.enter();
    if (holder.admitted) holder.permit.end();
    expect(gate.hasRoom).toBe(false);
    const next = await waiting;
    if (next.admitted) next.permit.end();
    expect(gate.hasRoom).toBe(true);
  });

  it("follows the cap", () => {
    const gate = createGate({ maxInFlight: 1 });
    void gate.enter();
    expect(gate.hasRoom).toBe(false);
    gate.update({ maxInFlight: 2 });
    expect(gate.hasRoom).toBe(true);
  });

  it("is there in the modes that let everybody in, and never at a gate that drains", async () => {
    const gate = createGate({ maxInFlight: 1, mode: "shadow" });
    await gate.enter();
    expect([gate.hasRoom, (await gate.enter()).admitted]).toEqual([true, true]);
    gate.update({ mode: "off" });
    expect([gate.hasRoom, (await gate.enter()).admitted]).toEqual([true, true]);
    void gate.drain();
    expect([gate.hasRoom, (await gate.enter()).admitted]).toEqual([false, false]);
  });
});
