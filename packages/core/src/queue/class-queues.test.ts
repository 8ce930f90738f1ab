import { describe, expect, it } from "vitest";
import { ClassQueues, type ClassRule, type Place } from "./class-queues";

const rule = (name: string, weight = 1, rank = 0, tier = 0): ClassRule => ({
  name,
  weight,
  rank,
  tier,
});

/** A queue of items `class1`, `class2`, ...: the letters are the class. */
function queueOf(rules: readonly ClassRule[], ...items: string[]) {
  const queue = new ClassQueues<string>(rules);
  const places = new Map<string, Place<string>>();
  const append = (item: string) => places.set(item, queue.append(item, item.replace(/\d+$/, "")));
  for (const item of items) append(item);
  const place = (item: string) => places.get(item) as Place<string>;
  const start = () => {
    const next = queue.next();
    if (next !== undefined) queue.take(next);
    return next?.item;
  };
  const startMany = (count: number) => Array.from({ length: count }, start);
  return { queue, append, place, start, startMany };
}

const many = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}${index + 1}`);

describe("ClassQueues", () => {
  it("starts 3 + 1 of the first four with weights .75 and .25", () => {
    const rules = [rule("a", 0.75), rule("b", 0.25)];
    const { startMany } = queueOf(rules, ...many("a", 4), ...many("b", 4));
    expect(startMany(4)).toEqual(["a1", "b1", "a2", "a3"]);
    expect(startMany(5)).toEqual(["a4", "b2", "b3", "b4", undefined]);
  });

  it("starts the higher rank first of two whose turns fall together", () => {
    const { start } = queueOf([rule("low"), rule("high", 1, 1)], "low1", "high1");
    expect(start()).toBe("high1");
  });

  it("starts a higher tier as long as it waits, whatever the weights", () => {
    const rules = [rule("low", 100, 0, 0), rule("high", 1, 0, 1)];
    const { startMany } = queueOf(rules, "low1", "low2", "high1", "high2");
    expect(startMany(4)).toEqual(["high1", "high2", "low1", "low2"]);
  });

  it("gives no credit for a time in which nobody of a class waited", () => {
    const { append, startMany } = queueOf([rule("a"), rule("b")], ...many("a", 20));
    startMany(10);
    for (const item of many("b", 5)) append(item);
    expect(startMany(6)).toEqual(["b1", "a11", "b2", "a12", "b3", "a13"]);
  });

  it("lets the rank decide between two that come back after different pauses", () => {
    const rules = [rule("low"), rule("high", 1, 1), rule("other")];
    const { append, startMany } = queueOf(rules, "high1", ...many("other", 9));
    startMany(10);
    for (const item of ["low1", "high2"]) append(item);
    expect(startMany(2)).toEqual(["high2", "low1"]);
  });

  describe("a head that does not fit", () => {
    it("yields its turn, keeps its place, and is asked again after another has started", () => {
      const { queue, place, start } = queueOf([rule("a"), rule("b")], "a1", "a2", "b1", "b2");
      expect(queue.next()).toBe(place("a1"));
      queue.yieldTurn(place("a1"));
      expect(start()).toBe("b1");
      expect(start()).toBe("a1");
      expect(queue.next()).toBe(place("a2"));
    });

    it("is asked again after all have yielded", () => {
      const { queue, place } = queueOf([rule("a"), rule("b")], "a1", "b1");
      queue.yieldTurn(place("a1"));
      queue.yieldTurn(place("b1"));
      expect(queue.next()).toBeUndefined();
      expect(queue.next()).toBe(place("a1"));
    });

    it("makes room for the next one of its class when it leaves", () => {
      const { queue, place } = queueOf([rule("a"), rule("b")], "a1", "a2", "b1");
      queue.yieldTurn(place("a1"));
      queue.leave(place("a1"));
      expect(queue.next()).toBe(place("a2"));
    });

    it("does not let those of its own class pass", () => {
      const { queue, append, place } = queueOf([rule("a")], "a1");
      queue.yieldTurn(place("a1"));
      append("a2");
      expect(queue.next()).toBeUndefined();
    });

    it("is told too late if it has left meanwhile", () => {
      const { queue, place } = queueOf([rule("a")], "a1", "a2");
      queue.leave(place("a1"));
      expect(queue.take(place("a1"))).toBe(false);
      queue.yieldTurn(place("a1"));
      expect(queue.next()).toBe(place("a2"));
    });
  });

  describe("who is put out", () => {
    const rules = [rule("gold", 1, 2), rule("tin", 1, 0), rule("lead", 1, 0), rule("silver", 1, 1)];

    it("is the newest of the lowest rank, of whatever class", () => {
      const { queue, place } = queueOf(rules, "tin1", "lead1", "tin2", "silver1");
      expect(queue.newestBelow(2)).toBe(place("tin2"));
      queue.leave(place("tin2"));
      expect(queue.newestBelow(2)).toBe(place("lead1"));
    });

    it("is nobody of the same rank or of a higher one", () => {
      const { queue, place } = queueOf(rules, "silver1", "gold1");
      expect(queue.newestBelow(1)).toBeUndefined();
      expect(queue.newestBelow(2)).toBe(place("silver1"));
    });
  });

  it("counts those who wait, in all and by class", () => {
    const { queue, place } = queueOf([rule("a"), rule("b")], "a1", "a2", "b1");
    expect([queue.length, queue.lengthOf("a"), queue.lengthOf("b")]).toEqual([3, 2, 1]);
    expect(queue.leave(place("a1"))).toBe(true);
    expect(queue.leave(place("a1"))).toBe(false);
    expect([queue.length, queue.lengthOf("a"), queue.lengthOf("none")]).toEqual([2, 1, 0]);
  });

  it("changes a class where it stands, and knows no class that it was not told of", () => {
    const rules = [rule("a"), rule("b")];
    const { queue, startMany } = queueOf(rules, ...many("a", 8), ...many("b", 8));
    queue.setClass(rule("a", 3));
    expect(startMany(8).filter((item) => item?.startsWith("a"))).toHaveLength(6);
    expect(() => queue.append("x", "c")).toThrow("no class c");
    queue.setClass(rule("c"));
    expect(queue.append("x", "c").className).toBe("c");
  });

  it.each([
    { of: "a", place: 5 },
    { of: "b", place: 3 },
    { of: "top", place: 1 },
  ])("tells a newcomer of $of the place $place", ({ of, place }) => {
    const rules = [rule("a", 1), rule("b", 2), rule("top", 1, 0, 1)];
    const { queue } = queueOf(rules, ...many("a", 3), "b1");
    expect(queue.placeOf(of)).toBe(place);
  });
});
