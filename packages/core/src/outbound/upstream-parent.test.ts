import type { UpstreamsOptions } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { passOf, reasonOf, upstreamsOn } from "../../test/outbound/ask";
import { problemPathsOf } from "../../test/problem-paths";
import { SettableLimit } from "../../test/settable-limit";

const chat = { route: "chat", model: "large" };
const noQueue = { max: 0 };

describe("a parent", () => {
  const parented = (options: Partial<UpstreamsOptions> = {}) =>
    upstreamsOn({
      parents: { openai: { maxInFlight: 2, queue: noQueue } },
      parentOf: ({ route }) => (route === "openai" ? "openai" : undefined),
      ...options,
    });

  it("caps the calls of several keys together, and of no others", async () => {
    const { upstreams } = parented();
    const small = upstreams.upstream({ route: "openai", model: "small" });
    const large = upstreams.upstream({ route: "openai", model: "large" });
    const permit = await passOf(small);
    await passOf(large);
    expect(await reasonOf(large)).toBe("queue_full");
    expect(large.stats()).toMatchObject({ inFlight: 1, queued: 0 });
    expect(await reasonOf(upstreams.upstream({ route: "other" }))).toBe("admitted");
    permit.end();
    expect(await reasonOf(large)).toBe("admitted");
  });

  it("is no part of what the limit of a key learns: the wait for it is left out", async () => {
    const limit = new SettableLimit(5);
    const { clock, upstreams } = parented({
      maxInFlight: () => limit,
      parents: { openai: { maxInFlight: 1 } },
    });
    const door = upstreams.upstream({ route: "openai" });
    const first = await passOf(door);
    const second = passOf(door);
    await Promise.resolve();
    clock.advance(300);
    first.end();
    const permit = await second;
    expect(permit.waitedMs).toBe(300);
    clock.advance(40);
    permit.end();
    expect(limit.samples.map(({ latencyMs }) => latencyMs)).toEqual([300, 40]);
  });

  it("gets what is left of a deadline", async () => {
    const { clock, upstreams } = parented({
      maxInFlight: 1,
      parents: { openai: { maxInFlight: 1 } },
    });
    const one = upstreams.upstream({ route: "openai", model: "one" });
    const two = upstreams.upstream({ route: "openai", model: "two" });
    const holdsParent = await passOf(two);
    const waitsForParent = reasonOf(one, { deadlineMs: 500 });
    await clock.advanceAsync(200);
    const waitsForOwn = reasonOf(one, { deadlineMs: 400 });
    await clock.advanceAsync(299);
    expect(one.stats()).toMatchObject({ inFlight: 1, queued: 1 });
    await clock.advanceAsync(1);
    expect(await waitsForParent).toBe("deadline_unreachable");
    await clock.advanceAsync(99);
    expect(one.stats()).toMatchObject({ inFlight: 1, queued: 0 });
    await clock.advanceAsync(1);
    expect(await waitsForOwn).toBe("deadline_unreachable");
    holdsParent.end();
    expect(one.stats()).toMatchObject({ inFlight: 0, queued: 0 });
  });

  it("is fair to its keys: one that waits with many does not hold back another", async () => {
    const { clock, upstreams } = parented({
      parents: { openai: { maxInFlight: 1, queue: { max: 50 } } },
    });
    const many = upstreams.upstream({ route: "openai", model: "many" });
    const few = upstreams.upstream({ route: "openai", model: "few" });
    let running = await passOf(few);
    const started: string[] = [];
    const start = async (name: string, door: typeof many) => {
      const permit = await passOf(door);
      started.push(name);
      running = permit;
    };
    const all = Array.from({ length: 9 }, () => start("many", many));
    await Promise.resolve();
    all.push(start("few", few));
    await clock.advanceAsync(0);
    for (let turn = 0; turn < 10; turn += 1) {
      running.end();
      await clock.advanceAsync(0);
    }
    await Promise.all(all);
    expect(started.indexOf("few")).toBeLessThanOrEqual(1);
  });

  it("bounds open streams, where slots of a key are held until the first byte", async () => {
    const { upstreams } = parented({ maxInFlight: 1, queue: noQueue, heldUntil: "first-byte" });
    const door = upstreams.upstream({ route: "openai" });
    const permits = [];
    for (let n = 0; n < 2; n += 1) {
      const permit = await passOf(door);
      permit.firstByte();
      permits.push(permit);
    }
    expect(door.stats().inFlight).toBe(0);
    expect(await reasonOf(door)).toBe("queue_full");
    permits[0]?.end();
    expect(await reasonOf(door)).toBe("admitted");
  });

  it("has to be known, and to be asked for", () => {
    const { upstreams } = parented({ parentOf: () => "opnai" });
    expect(problemPathsOf(() => upstreams.upstream(chat))).toEqual(["parent"]);
    expect(problemPathsOf(() => parented({ parentOf: undefined as never }))).toEqual(["parentOf"]);
  });
});
