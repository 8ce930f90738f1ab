import { FakeClock } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../verdict/outcome";
import { type SlotEnd, SlotPermit } from "./gate-permit";
import { type LiveClass, liveClasses } from "./live-class";

function permitAt(startedAtMs: number) {
  const clock = new FakeClock({ startMs: startedAtMs });
  const ends: SlotEnd[] = [];
  const firstBytes: number[] = [];
  const [gateClass] = liveClasses({ classes: new Map(), areWeighted: false }) as [LiveClass];
  const start = { startedAtMs, waitedMs: 7, gateClass, inFlight: 1 };
  const permit = new SlotPermit(start, clock, {
    onFirstByte: (_class, _inFlight, firstByteMs) => firstBytes.push(firstByteMs),
    onEnd: (_class, _inFlight, end) => ends.push(end),
  });
  return { clock, ends, firstBytes, permit };
}

describe("SlotPermit", () => {
  it("tells once how long the slot was held, and with which outcome", () => {
    const { clock, ends, permit } = permitAt(0);
    clock.advance(120);
    permit.end("dropped");
    clock.advance(10);
    permit.end("success");
    expect(ends).toEqual([{ heldMs: 120, outcome: "dropped" }]);
    expect(permit.waitedMs).toBe(7);
  });

  it("ends with success unless another outcome is said", () => {
    const { ends, permit } = permitAt(5_000);
    permit.end();
    expect(ends).toEqual([{ heldMs: 0, outcome: "success" }]);
  });

  it.each(["failed", "", null, 5])("takes the slot back when told %j, as ignored", (outcome) => {
    const { ends, permit } = permitAt(0);
    permit.end(outcome as Outcome);
    expect(ends).toEqual([{ heldMs: 0, outcome: "ignored" }]);
  });

  it("keeps the first of several first bytes, and none after the end", () => {
    const { clock, ends, firstBytes, permit } = permitAt(0);
    clock.advance(30);
    permit.firstByte();
    expect(firstBytes).toEqual([30]);
    clock.advance(30);
    permit.firstByte();
    clock.advance(40);
    permit.end();
    permit.firstByte();
    expect(ends).toEqual([{ heldMs: 100, outcome: "success", firstByteMs: 30 }]);
    expect(firstBytes).toEqual([30]);
  });

  it("takes a first byte at once for a first byte", () => {
    const { ends, permit } = permitAt(0);
    permit.firstByte();
    permit.end();
    expect(ends).toEqual([{ heldMs: 0, outcome: "success", firstByteMs: 0 }]);
  });
});
