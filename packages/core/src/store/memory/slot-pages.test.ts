import { describe, expect, it } from "vitest";
import { fixedWindow } from "../../limit/fixed-window";
import { placeOf, SlotPages } from "./slot-pages";

const limit = fixedWindow({ max: 1, windowMs: 1_000 });
const state = { limit, next: null, serial: 1, startMs: 0, used: 1 };

/** Slots that fill the first four pages of 1024, in which there is no slot 0. */
const FOUR_PAGES = 4_095;

function take(slots: SlotPages, id: string): number {
  const slot = slots.take();
  slots.pageOf(slot).ids[placeOf(slot)] = id;
  slots.pageOf(slot).states[placeOf(slot)] = state;
  return slot;
}

/** `count` slots under the ids 0, 1, 2, ... */
function taken(slots: SlotPages, count: number): number[] {
  return Array.from({ length: count }, (_, index) => take(slots, `${index}`));
}

function idsInOrder(slots: SlotPages): (string | undefined)[] {
  const ids: (string | undefined)[] = [];
  for (let slot = slots.takenAfter(0); slot !== 0; slot = slots.takenAfter(slot)) {
    ids.push(slots.pageOf(slot).ids[placeOf(slot)]);
  }
  return ids;
}

describe("SlotPages", () => {
  it("gives every taker a slot of its own, and never slot 0", () => {
    const given = taken(new SlotPages(), 5_000);
    expect(new Set(given).size).toBe(5_000);
    expect(given).not.toContain(0);
  });

  it("keeps what is written into a slot, over many pages, and shows all in one order", () => {
    const slots = new SlotPages();
    taken(slots, 5_000);
    expect(idsInOrder(slots)).toEqual(Array.from({ length: 5_000 }, (_, index) => `${index}`));
  });

  it("forgets id and state of a slot that is given back", () => {
    const slots = new SlotPages();
    const [first = 0, second = 0] = taken(slots, 2);
    slots.giveBack(first);
    expect(slots.pageOf(second).ids[placeOf(first)]).toBeUndefined();
    expect(slots.pageOf(second).states[placeOf(first)]).toBeUndefined();
    expect(idsInOrder(slots)).toEqual(["1"]);
  });

  it("takes the places given back before it makes a new page, wherever they are", () => {
    const slots = new SlotPages();
    const back = taken(slots, FOUR_PAGES).filter((_, index) => index % 3 === 0);
    for (const slot of back) slots.giveBack(slot);
    const again = back.map(() => slots.take());
    expect(new Set(again)).toEqual(new Set(back));
    expect(slots.take()).toBeGreaterThan(FOUR_PAGES);
  });

  it("passes over pages that are gone, and fills them again", () => {
    const slots = new SlotPages();
    const back = taken(slots, FOUR_PAGES).slice(500, 4_000);
    for (const slot of back) slots.giveBack(slot);
    expect(idsInOrder(slots)).toHaveLength(FOUR_PAGES - 3_500);
    const again = back.map((_, index) => take(slots, `again-${index}`));
    expect(new Set(again)).toEqual(new Set(back));
    expect(new Set(idsInOrder(slots)).size).toBe(FOUR_PAGES);
  });

  it("is empty after clear", () => {
    const slots = new SlotPages();
    taken(slots, 3_000);
    slots.clear();
    expect(slots.takenAfter(0)).toBe(0);
    expect(take(slots, "new")).toBe(slots.takenAfter(0));
  });
});
