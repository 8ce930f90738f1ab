import { describe, expect, it } from "vitest";
import { type SlotClass, Slots } from "./slots";

const slotClass = (reserved: number): SlotClass => ({ reserved, kept: 0, inFlight: 0 });

function slotsOf(cap: number, ...reserved: number[]) {
  const classes = reserved.map(slotClass);
  return { classes, slots: new Slots(classes, cap) };
}

const keptOf = (classes: readonly SlotClass[]) => classes.map(({ kept }) => kept);

describe("Slots", () => {
  it("keep what is reserved from the others, and only from them", () => {
    const { classes, slots } = slotsOf(10, 3, 0);
    const [a, b] = classes as [SlotClass, SlotClass];
    for (let count = 0; count < 7; count++) slots.start(b);
    expect([slots.hasRoomFor(a), slots.hasRoomFor(b)]).toEqual([true, false]);
    expect([slots.usableBy(a), slots.usableBy(b)]).toEqual([10, 7]);
    slots.start(a);
    slots.start(a);
    expect(slots.hasRoomFor(b)).toBe(false);
    slots.start(a);
    expect(slots.areTaken).toBe(true);
    slots.end(b);
    expect([slots.hasRoomFor(a), slots.hasRoomFor(b)]).toEqual([true, true]);
    // What comes free of its three is kept for it again.
    slots.end(a);
    slots.start(b);
    expect([slots.hasRoomFor(a), slots.hasRoomFor(b)]).toEqual([true, false]);
  });

  it.each([
    { cap: 100, reserved: [6, 3, 0], kept: [6, 3, 0] },
    { cap: 10, reserved: [6, 3, 0], kept: [6, 3, 0] },
    { cap: 9, reserved: [6, 3, 0], kept: [5, 2, 0] },
    { cap: 4, reserved: [6, 3, 0], kept: [2, 1, 0] },
    { cap: 1, reserved: [6, 3, 0], kept: [0, 0, 0] },
    { cap: 10, reserved: [5, 5], kept: [5, 5] },
    { cap: 9, reserved: [5, 5], kept: [4, 4] },
    { cap: 3, reserved: [5], kept: [2] },
    { cap: 1, reserved: [0], kept: [0] },
  ])("keep $kept of $reserved under a cap of $cap", ({ cap, reserved, kept }) => {
    expect(keptOf(slotsOf(cap, ...reserved).classes)).toEqual(kept);
  });

  it("reckon anew when cap or reservations change, with work in flight", () => {
    const { classes, slots } = slotsOf(20, 8, 0);
    const [a, b] = classes as [SlotClass, SlotClass];
    for (let count = 0; count < 10; count++) slots.start(b);
    slots.resize(5);
    expect([slots.hasRoomFor(a), slots.hasRoomFor(b)]).toEqual([false, false]);
    slots.resize(11);
    expect([slots.hasRoomFor(a), slots.hasRoomFor(b)]).toEqual([true, false]);
    a.reserved = 0;
    slots.resize(11);
    expect([slots.hasRoomFor(a), slots.hasRoomFor(b)]).toEqual([true, true]);
  });
});
