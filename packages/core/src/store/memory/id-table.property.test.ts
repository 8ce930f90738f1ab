import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LimitState } from "../../engine/state";
import { fixedWindow } from "../../limit/fixed-window";
import { IdTable } from "./id-table";

const limit = fixedWindow({ max: 1, windowMs: 1_000 });
const stateOf = (used: number): LimitState => ({ limit, next: null, serial: 1, startMs: 0, used });

/** With the seed 7 both have the same hash. */
const TWINS = ["id-1pfs", "id-ivja"] as const;

/** A run of ids that are all set, or all deleted, one after the other. */
const anyStep = fc.record({
  isSet: fc.boolean(),
  from: fc.nat(3_000),
  count: fc.integer({ min: 1, max: 1_500 }),
});

/** What a walk shows, by id. */
function shown(table: IdTable): Map<string, LimitState> {
  const entries = new Map<string, LimitState>();
  for (let slot = table.slotAfter(0); slot !== 0; slot = table.slotAfter(slot)) {
    const id = table.idAt(slot);
    expect(entries.has(id)).toBe(false);
    entries.set(id, table.stateAt(slot));
  }
  return entries;
}

describe("IdTable", () => {
  it("holds and shows what a Map would, however it grows and shrinks", () => {
    fc.assert(
      fc.property(
        fc.array(anyStep, { minLength: 1, maxLength: 10 }),
        fc.integer(),
        (steps, seed) => {
          const table = new IdTable(seed);
          const model = new Map<string, LimitState>();
          let serial = 0;
          for (const { isSet, from, count } of steps) {
            for (let index = from; index < from + count; index += 1) {
              serial += 1;
              const id = `id-${index}`;
              if (!isSet) {
                expect(table.delete(id)).toBe(model.delete(id));
                continue;
              }
              model.set(id, stateOf(serial));
              table.set(id, model.get(id) as LimitState);
            }
            expect(table.size).toBe(model.size);
            expect(shown(table)).toEqual(model);
          }
          for (let index = 0; index < 4_600; index += 1) {
            expect(table.get(`id-${index}`)).toBe(model.get(`id-${index}`));
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it.each([TWINS, [TWINS[1], TWINS[0]] as const])("keeps %s and %s apart", (first, second) => {
    const table = new IdTable(7);
    const [one, other] = [stateOf(1), stateOf(2)];
    table.set(first, one);
    expect(table.get(second)).toBeUndefined();
    expect(table.delete(second)).toBe(false);
    table.set(second, other);
    expect(table.get(first)).toBe(one);
    expect(table.get(second)).toBe(other);
    expect(table.delete(first)).toBe(true);
    expect(table.get(first)).toBeUndefined();
    expect(table.get(second)).toBe(other);
    expect(table.size).toBe(1);
  });

  it("shows entries that stay once, while others come and go during the walk", () => {
    const table = new IdTable(3);
    for (let index = 0; index < 4_000; index += 1) table.set(`id-${index}`, stateOf(index));
    const seen: string[] = [];
    for (let slot = table.slotAfter(0); slot !== 0; slot = table.slotAfter(slot)) {
      const id = table.idAt(slot);
      seen.push(id);
      const index = Number(id.slice(3));
      if (index % 2 === 1) table.delete(id);
      if (index % 5 === 0 && index < 4_000) table.set(`id-${10_000 + index}`, stateOf(0));
    }
    const stayed = seen.filter((id) => Number(id.slice(3)) < 4_000);
    expect(stayed).toHaveLength(4_000);
    expect(new Set(stayed).size).toBe(4_000);
  });
});
