import { describe, expect, it } from "vitest";
import { seededRandom } from "../../random/seeded-random";
import { EventHeap } from "./event-heap";

describe("EventHeap", () => {
  it("runs nothing and is never due when it is empty", () => {
    const heap = new EventHeap();
    heap.runNext();
    expect([heap.size, heap.nextDueMs]).toEqual([0, Number.POSITIVE_INFINITY]);
  });

  it("runs events by instant, and those of one instant in the order of their adding", () => {
    const heap = new EventHeap();
    const random = seededRandom(1);
    const ran: { dueAtMs: number; index: number }[] = [];
    // Far more events than instants, and more than the first size of its arrays.
    for (let index = 0; index < 5_000; index++) {
      const dueAtMs = Math.floor(random.next() * 50) / 4;
      heap.add(dueAtMs, { run: () => ran.push({ dueAtMs, index }) });
    }
    const dueTimes: number[] = [];
    while (heap.size > 0) {
      dueTimes.push(heap.nextDueMs);
      heap.runNext();
    }
    const sorted = [...ran].sort((a, b) => a.dueAtMs - b.dueAtMs || a.index - b.index);
    expect(ran).toHaveLength(5_000);
    expect(ran).toEqual(sorted);
    expect(dueTimes).toEqual(sorted.map((each) => each.dueAtMs));
  });

  it("keeps the order when events are added while others are taken", () => {
    const heap = new EventHeap();
    const random = seededRandom(2);
    const ranAt: number[] = [];
    let [nowMs, added] = [0, 0];
    const target = {
      run: () => {
        ranAt.push(nowMs);
        for (let each = 0; each < 2 && added < 3_000; each++) add();
      },
    };
    const add = () => {
      added += 1;
      heap.add(nowMs + random.next() * 10, target);
    };
    add();
    while (heap.size > 0) {
      nowMs = heap.nextDueMs;
      heap.runNext();
    }
    expect(ranAt).toHaveLength(3_000);
    expect(ranAt).toEqual([...ranAt].sort((a, b) => a - b));
  });

  it("hands each event the ticket that it was given for it", () => {
    const heap = new EventHeap();
    const seen: number[] = [];
    const target = { run: (ticket: number) => void seen.push(ticket) };
    const [late, early] = [heap.add(2, target), heap.add(1, target)];
    heap.runNext();
    heap.runNext();
    expect(seen).toEqual([early, late]);
    expect(early).not.toBe(late);
  });
});
