import { describe, expect, it } from "vitest";
import { questionTo } from "../../../test/pool/traffic";
import { type FleetProcess, setFleet } from "../../../test/store/fleet";
import { expectAdmitted, expectRejected } from "../../../test/verdicts";
import type { PriorityPoolLimit } from "../../limit/limit";
import { poolUnitsOf } from "../../limit/pool-units";
import { type PriorityPoolOptions, priorityPool } from "../../limit/priority-pool";
import { LocalLimits } from "./local-limits";

const WINDOW_MS = 3_600_000;

function pool(options: Partial<PriorityPoolOptions> = {}): PriorityPoolLimit {
  return priorityPool({
    ...{ name: "pool", capacity: { requests: 100, tokens: 1_000 }, windowMs: WINDOW_MS },
    ...{ shares: { a: 0.75, b: 0.25 }, whenSaturated: "strict" },
    ...options,
  });
}

async function admitted(
  on: FleetProcess,
  of: PriorityPoolLimit,
  priority: string,
  most: number,
): Promise<number> {
  for (let count = 0; count < most; count += 1) {
    const { admitted: isIn } = await on.limiter.admit(questionTo(of, priority));
    if (!isIn) return count;
  }
  return most;
}

/** What the fleet's store holds, by unit, and of a class. */
async function stored(fleet: ReturnType<typeof setFleet>, of: PriorityPoolLimit, priority: string) {
  const ownClass = of.classes.indexOf(priority);
  const limits = poolUnitsOf(of, ownClass);
  const targets = [{ kind: "model", id: "gpt", limits }];
  const { checks } = await fleet.store.peek({
    type: "peek",
    cost: { requests: 0, tokens: 0 },
    targets,
  });
  return checks.map(({ used, classUsed }) => [used, classUsed]);
}

describe("While the store is away, a process", () => {
  it("has its part of the capacity, and each class its part of that", async () => {
    const fleet = setFleet(2);
    const [first] = fleet.processes as [FleetProcess, FleetProcess];
    fleet.goAway();
    expect(await admitted(first, pool(), "b", 100)).toBe(25);
    const refused = await first.limiter.admit(questionTo(pool(), "b"));
    expect(expectRejected(refused, "share_exhausted")).toMatchObject({
      retryAfterMs: WINDOW_MS,
      violated: [{ max: 50, used: 25, source: "local", pool: { class: "b", ceiling: "share" } }],
    });
    expect(await admitted(first, pool(), "a", 100)).toBe(25);
    expectRejected(await first.limiter.admit(questionTo(pool(), "a")), "window_exhausted");
    await fleet.close();
  });

  it("tells by which guaranteed amount a class was held", async () => {
    const fleet = setFleet(2);
    const [first] = fleet.processes as [FleetProcess, FleetProcess];
    const strict = pool({ saturationThreshold: 0 });
    fleet.goAway();
    expect(await admitted(first, strict, "a", 100)).toBe(38);
    const refused = await first.limiter.admit(questionTo(strict, "a"));
    expect(expectRejected(refused, "share_exhausted").violated).toMatchObject([
      { max: 50, used: 38, remaining: 12, pool: { guaranteed: 38, used: 38 } },
    ]);
    const { statuses } = await first.limiter.peek(questionTo(strict, "b"));
    expect(statuses.map((status) => status.pool?.guaranteed)).toEqual([12, 125]);
    await fleet.close();
  });

  it("starts from what the store said last", async () => {
    const fleet = setFleet(2);
    const [first] = fleet.processes as [FleetProcess, FleetProcess];
    expect(await admitted(first, pool(), "a", 60)).toBe(60);
    fleet.goAway();
    // 40 are left, 20 of them here.
    expect(await admitted(first, pool(), "a", 100)).toBe(20);
    await fleet.close();
  });

  it("reports what it admitted, unit by unit and class by class", async () => {
    const fleet = setFleet(2);
    const [first] = fleet.processes as [FleetProcess, FleetProcess];
    const cost = { requests: 1, tokens: 100 };
    expectAdmitted(await first.limiter.admit(questionTo(pool(), "a", cost)));
    fleet.goAway();
    const permit = expectAdmitted(await first.limiter.admit(questionTo(pool(), "a", cost)));
    expectAdmitted(await first.limiter.admit(questionTo(pool(), "b", cost)));
    await permit.settle({ tokens: 30 });
    fleet.recover();
    await fleet.clock.advanceAsync(10_000);
    expect(await stored(fleet, pool(), "a")).toEqual([
      [3, 2],
      [230, 130],
    ]);
    expect(await stored(fleet, pool(), "b")).toEqual([
      [3, 1],
      [230, 100],
    ]);
    await fleet.close();
  });

  it("admits at least one request, however many processes there are", () => {
    const [requests] = poolUnitsOf(pool({ capacity: { requests: 3 } }), 0);
    const part = new LocalLimits(100).of(requests as never) as typeof requests;
    expect(part).toMatchObject({ max: 1, guaranteed: [1, 0, 0], free: 0, freeForNone: 1 });
  });
});
