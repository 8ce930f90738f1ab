import { describe, expect, it } from "vitest";
import type { FixedWindowState } from "../../engine/state";
import { fixedWindow } from "../../limit/fixed-window";
import { KeyTable } from "./key-table";

const limit = fixedWindow({ max: 1, windowMs: 1_000 });
const stateOf = (used: number): FixedWindowState => ({
  limit,
  next: null,
  serial: 1,
  startMs: 0,
  used,
});

function filled(count: number, kinds = 1): KeyTable {
  const table = new KeyTable(7);
  for (let index = 0; index < count; index += 1) {
    table.set(`kind-${index % kinds}`, `id-${index}`, stateOf(index));
  }
  return table;
}

describe("KeyTable", () => {
  it("finds what was set, by kind and id", () => {
    const table = new KeyTable(0);
    const [one, other] = [stateOf(1), stateOf(2)];
    table.set("user", "1", one);
    table.set("team", "1", other);
    expect(table.get("user", "1")).toBe(one);
    expect(table.get("team", "1")).toBe(other);
    expect(table.get("user", "2")).toBeUndefined();
    expect(table.get("org", "1")).toBeUndefined();
    expect(table.size).toBe(2);
  });

  it("replaces what was set", () => {
    const table = new KeyTable(0);
    table.set("user", "1", stateOf(1));
    const last = stateOf(2);
    table.set("user", "1", last);
    expect(table.get("user", "1")).toBe(last);
    expect(table.size).toBe(1);
  });

  it("tells whether what it deletes was there", () => {
    const table = filled(3);
    expect(table.delete("kind-0", "id-1")).toBe(true);
    expect(table.delete("kind-0", "id-1")).toBe(false);
    expect(table.delete("kind-9", "id-0")).toBe(false);
    expect(table.get("kind-0", "id-1")).toBeUndefined();
    expect(table.size).toBe(2);
  });

  it("is empty after clear, and can be filled again", () => {
    const table = filled(1_000, 100);
    table.clear();
    expect(table.size).toBe(0);
    expect(table.get("kind-0", "id-0")).toBeUndefined();
    expect(table.get("kind-99", "id-99")).toBeUndefined();
    table.set("kind-99", "id-99", stateOf(5));
    expect(table.get("kind-99", "id-99")).toMatchObject({ used: 5 });
    expect(table.size).toBe(1);
  });

  it.each([1, 2, 64, 65, 200])("keeps %d kinds apart", (kinds) => {
    const table = filled(1_000, kinds);
    expect(table.size).toBe(1_000);
    for (let index = 0; index < 1_000; index += 1) {
      expect(table.get(`kind-${index % kinds}`, `id-${index}`)).toMatchObject({ used: index });
      const other = `kind-${(index + 1) % kinds}`;
      if (kinds > 1) expect(table.get(other, `id-${index}`)).toBeUndefined();
    }
    for (let index = 0; index < 1_000; index += 2) {
      expect(table.delete(`kind-${index % kinds}`, `id-${index}`)).toBe(true);
    }
    expect(table.size).toBe(500);
  });

  it("does not mix up a kind of its own with ids of kinds that share maps", () => {
    const table = filled(64, 64);
    table.set("late", "a:b", stateOf(1));
    table.set("later", "b", stateOf(2));
    table.set("kind-0", "late:a:b", stateOf(3));
    expect(table.get("late", "a:b")).toMatchObject({ used: 1 });
    expect(table.get("later", "a:b")).toBeUndefined();
    expect(table.delete("kind-0", "late:a:b")).toBe(true);
    expect(table.get("late", "a:b")).toMatchObject({ used: 1 });
  });

  it("spreads differently by seed, without losing anything", () => {
    for (const seed of [0, 1, -1, 2_147_483_647, -2_147_483_648]) {
      const table = new KeyTable(seed);
      for (let index = 0; index < 500; index += 1) table.set("k", `${index}`, stateOf(index));
      for (let index = 0; index < 500; index += 1) {
        expect(table.get("k", `${index}`)).toMatchObject({ used: index });
      }
    }
  });
});

describe("TableWalk", () => {
  const showAll = (table: KeyTable, step: number): string[][] => {
    const rounds: string[][] = [[]];
    const walk = table.walk();
    while (rounds.length < 3) {
      const isOver = walk.visit(step, (kind, id) => rounds.at(-1)?.push(`${kind}:${id}`));
      if (isOver) rounds.push([]);
    }
    return rounds.slice(0, 2);
  };

  it.each([1, 7, 16, 1_000_000])(
    "shows every entry once a round, %d at a time, with its kind and id",
    (step) => {
      const table = filled(500, 70);
      const expected = Array.from({ length: 500 }, (_, i) => `kind-${i % 70}:id-${i}`).sort();
      for (const round of showAll(table, step)) expect(round.sort()).toEqual(expected);
    },
  );

  it("ends its round at once in an empty table", () => {
    const walk = new KeyTable(0).walk();
    expect(walk.visit(10, () => expect.unreachable())).toBe(true);
    expect(walk.visit(10, () => expect.unreachable())).toBe(true);
  });

  it("shows at most as many as it was asked for", () => {
    const walk = filled(100).walk();
    let shown = 0;
    expect(walk.visit(16, () => (shown += 1))).toBe(false);
    expect(shown).toBe(16);
  });

  it("lets the visitor delete what it is shown, and still shows the rest", () => {
    const table = filled(300, 3);
    const walk = table.walk();
    const seen = new Set<string>();
    let isOver = false;
    while (!isOver) {
      isOver = walk.visit(10, (kind, id) => {
        seen.add(id);
        table.delete(kind, id);
      });
    }
    expect(seen.size).toBe(300);
    expect(table.size).toBe(0);
  });

  it("goes on when entries come and go between two visits", () => {
    const table = filled(300, 3);
    const walk = table.walk();
    const seen: string[] = [];
    let round = 0;
    while (round < 1) {
      if (walk.visit(10, (_kind, id) => seen.push(id))) round += 1;
      // One that was there goes, one that was not comes.
      const last = seen.at(-1);
      for (let kind = 0; kind < 3; kind += 1) table.delete(`kind-${kind}`, `${last}`);
      if (seen.length < 300) table.set("kind-1", `new-${seen.length}`, stateOf(0));
    }
    for (let index = 0; index < 300; index += 1) expect(seen).toContain(`id-${index}`);
  });
});
