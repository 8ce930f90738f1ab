import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../test/runs";
import { ClassQueues, type Place } from "./class-queues";

interface Item {
  readonly id: number;
  readonly name: string;
  readonly key: string | undefined;
}

const names = ["a", "b", "c"];

const anySteps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("append" as const),
        name: fc.constantFrom(...names),
        key: fc.constantFrom(undefined, "x", "y"),
      }),
    },
    { weight: 3, arbitrary: fc.constant({ do: "take" as const }) },
    { weight: 2, arbitrary: fc.constant({ do: "yield" as const }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("leave" as const), pick: fc.nat(100) }) },
  ),
  { maxLength: 100, size: "max" },
);

const anyRules = fc
  .tuple(...names.map(() => fc.record({ weight: fc.integer({ min: 1, max: 9 }), rank: fc.nat(2) })))
  .map((all) => all.map((each, index) => ({ name: names[index] as string, tier: 0, ...each })));

describe("ClassQueues", () => {
  it("agrees with a list about who waits, who is the head of a class, and who is put out", () => {
    fc.assert(
      fc.property(anyRules, anySteps, (rules, steps) => {
        const queue = new ClassQueues<Item>(rules);
        const waiting: { readonly item: Item; readonly place: Place<Item> }[] = [];
        const remove = (place: Place<Item>) =>
          waiting.splice(
            waiting.findIndex((each) => each.place === place),
            1,
          );
        /** By class, the head that has yielded. */
        let yielded = new Map<string, Place<Item>>();
        for (const [id, step] of steps.entries()) {
          if (step.do === "append") {
            const item = { id, name: step.name, key: step.key };
            waiting.push({ item, place: queue.append(item, step.name, step.key) });
          } else if (step.do === "leave") {
            const one = waiting[step.pick % (waiting.length || 1)];
            if (one === undefined) continue;
            expect(queue.leave(one.place)).toBe(true);
            expect(queue.leave(one.place)).toBe(false);
            if (yielded.get(one.item.name) === one.place) yielded.delete(one.item.name);
            remove(one.place);
          } else {
            const next = queue.next();
            const open = waiting.filter(({ item }) => !yielded.has(item.name));
            expect(next === undefined).toBe(open.length === 0);
            if (next === undefined) {
              yielded = new Map();
              continue;
            }
            expect(yielded.has(next.className)).toBe(false);
            // First in, first out under its key.
            const same = waiting.filter(
              ({ item }) => item.name === next.item.name && item.key === next.item.key,
            );
            expect(same[0]?.place).toBe(next);
            if (step.do === "yield") {
              queue.yieldTurn(next);
              yielded.set(next.className, next);
            } else {
              expect(queue.take(next)).toBe(true);
              yielded = new Map();
              remove(next);
            }
          }
          expect(queue.length).toBe(waiting.length);
          const rankOf = (name: string) => rules.find((rule) => rule.name === name)?.rank ?? 0;
          const ranks = waiting.map(({ item }) => rankOf(item.name)).filter((rank) => rank < 2);
          const lowest = waiting.filter(({ item }) => rankOf(item.name) === Math.min(...ranks));
          expect(queue.newestBelow(2)).toBe(lowest.at(-1)?.place);
        }
      }),
      runs(150),
    );
  });

  it("gives classes that wait all the time their part, within one turn of each", () => {
    fc.assert(
      fc.property(anyRules, fc.integer({ min: 1, max: 200 }), (rules, turns) => {
        const queue = new ClassQueues<number>(rules);
        for (const { name } of rules) for (let id = 0; id < turns; id++) queue.append(id, name);
        const got = new Map(names.map((name) => [name, 0]));
        for (let turn = 0; turn < turns; turn++) {
          const next = queue.next() as Place<number>;
          queue.take(next);
          got.set(next.className, (got.get(next.className) ?? 0) + 1);
        }
        const parts = rules.map(({ name, weight }) => ({ weight, got: got.get(name) ?? 0 }));
        for (const a of parts) {
          for (const b of parts) {
            // After n turns a class stands at n / weight: nobody is ahead by more than one turn.
            expect((a.got - 1) / a.weight).toBeLessThanOrEqual(b.got / b.weight + 1e-9);
          }
        }
      }),
      runs(150),
    );
  });
});
