import { describe, expect, it } from "vitest";
import { KeyQueues, type LeaveKeyed } from "./key-queues";

function queueOf(...items: string[]) {
  const queue = new KeyQueues<string>();
  const leave = new Map<string, LeaveKeyed>();
  /** The first letter is the key. */
  const append = (item: string) => leave.set(item, queue.append(item, item[0]));
  for (const item of items) append(item);
  const start = () => {
    const { head } = queue;
    if (head !== undefined) leave.get(head)?.(true);
    return head;
  };
  const leaves = (item: string) => leave.get(item)?.(false);
  const startAll = () => {
    const started: string[] = [];
    for (let item = start(); item !== undefined; item = start()) started.push(item);
    return started;
  };
  return { queue, append, start, leaves, startAll };
}

describe("KeyQueues", () => {
  it("is first in, first out without keys", () => {
    const queue = new KeyQueues<number>();
    const leave = [0, 1, 2].map((item) => queue.append(item, undefined));
    for (const item of [0, 1, 2]) {
      expect(queue.head).toBe(item);
      leave[item]?.(true);
    }
    expect(queue.head).toBeUndefined();
  });

  it("goes round the keys, first in, first out under each", () => {
    const { startAll } = queueOf("a1", "a2", "a3", "b1", "c1", "c2");
    expect(startAll()).toEqual(["a1", "b1", "c1", "a2", "c2", "a3"]);
  });

  it("starts the one of b behind a thousand of a as the second", () => {
    const many = Array.from({ length: 1000 }, (_, index) => `a${index}`);
    const { start } = queueOf(...many, "b");
    expect([start(), start()]).toEqual(["a0", "b"]);
  });

  it("keeps the turn of a key whose head gives up", () => {
    const { leaves, startAll } = queueOf("a1", "b1", "a2", "b2");
    leaves("a1");
    expect(startAll()).toEqual(["a2", "b1", "b2"]);
  });

  it("puts a key that comes back at the end of the round", () => {
    const { append, start, startAll } = queueOf("a1", "b1", "b2", "c1");
    expect(start()).toBe("a1");
    append("a2");
    expect(startAll()).toEqual(["b1", "c1", "a2", "b2"]);
  });

  it("puts out the newest of the longest key, if that leaves it as many as the newcomer's", () => {
    const { queue, leaves, append } = queueOf("a1", "b1", "a2", "b2", "a3");
    expect(queue.newestOfLongest("c")).toBe("a3");
    expect(queue.newestOfLongest("b")).toBeUndefined();
    expect(queue.newestOfLongest("a")).toBeUndefined();
    leaves("a3");
    leaves("a1");
    append("b3");
    expect(queue.newestOfLongest("a")).toBe("b3");
    for (const item of ["b1", "b2", "b3", "a2"]) leaves(item);
    expect(queue.newestOfLongest("c")).toBeUndefined();
  });

  it("lets each leave once", () => {
    const { queue, leaves, start } = queueOf("a1", "b1");
    expect(leaves("b1")).toBe(true);
    expect(leaves("b1")).toBe(false);
    expect(start()).toBe("a1");
    expect(leaves("a1")).toBe(false);
    expect(queue.length).toBe(0);
  });

  it("knows who came last under whatever key", () => {
    const { queue, leaves } = queueOf("a1", "b1", "a2");
    expect(queue.newest).toBe("a2");
    leaves("a2");
    expect(queue.newest).toBe("b1");
  });

  it.each([
    { key: "a", place: 5 },
    { key: "b", place: 4 },
    { key: "c", place: 3 },
    { key: undefined, place: 3 },
  ])("tells a newcomer under $key the place $place", ({ key, place }) => {
    const { queue } = queueOf("a1", "a2", "a3", "b1");
    expect(queue.placeOf(key)).toBe(place);
  });
});
