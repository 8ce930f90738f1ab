import { describe, expect, it } from "vitest";
import { WaitQueue } from "./wait-queue";

function queueOf(...items: string[]) {
  const queue = new WaitQueue<string>();
  const leave = Object.fromEntries(items.map((item) => [item, queue.append(item)]));
  const leaves = (item: string) => leave[item]?.();
  const rest = () => {
    const taken: string[] = [];
    for (let item = queue.takeFirst(); item !== undefined; item = queue.takeFirst()) {
      taken.push(item);
    }
    return taken;
  };
  return { queue, leaves, rest };
}

describe("WaitQueue", () => {
  it("gives items back in the order in which they came", () => {
    const { queue, rest } = queueOf("a", "b", "c");
    expect(queue.length).toBe(3);
    expect(rest()).toEqual(["a", "b", "c"]);
    expect(queue.length).toBe(0);
  });

  it.each([
    { who: "a", rest: ["b", "c"] },
    { who: "b", rest: ["a", "c"] },
    { who: "c", rest: ["a", "b"] },
  ])("keeps the order of the others when $who leaves", ({ who, rest }) => {
    const test = queueOf("a", "b", "c");
    expect(test.leaves(who)).toBe(true);
    expect(test.queue.length).toBe(2);
    expect(test.rest()).toEqual(rest);
  });

  it("lets an item leave once only, and not after it was taken", () => {
    const { queue, leaves } = queueOf("a", "b");
    expect(leaves("b")).toBe(true);
    expect(leaves("b")).toBe(false);
    expect(queue.takeFirst()).toBe("a");
    expect(leaves("a")).toBe(false);
    expect(queue.length).toBe(0);
  });

  it("can be filled again after it was emptied from both ends", () => {
    const { queue, leaves, rest } = queueOf("a", "b");
    leaves("b");
    queue.takeFirst();
    expect(queue.takeFirst()).toBeUndefined();
    queue.append("c");
    queue.append("d");
    expect(queue.length).toBe(2);
    expect(rest()).toEqual(["c", "d"]);
  });
});
