import { FakeClock, realisticStartMs, seededRandom } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { Breaker } from "./breaker";

const ended = (count: number) => Array.from({ length: count });

/** A breaker whose waits chance does not shorten, unless told otherwise. */
function setBreaker(startMs = 0, next = () => 0) {
  const clock = new FakeClock({ startMs });
  const breaker = new Breaker(clock, { next, id: () => "unused" });
  const fail = (count: number) => {
    for (const _ of ended(count)) breaker.failed("pass");
  };
  const succeed = (count: number) => {
    for (const _ of ended(count)) breaker.succeeded("pass");
  };
  /** Moves on to the next probe and returns how long that took. */
  const waitForProbe = () => {
    const startedMs = clock.nowMs();
    while (breaker.tryPass() !== "probe") clock.advance(1);
    return clock.nowMs() - startedMs;
  };
  return { clock, breaker, fail, succeed, waitForProbe };
}

describe.each([0, realisticStartMs])("A breaker that starts at %d", (startMs) => {
  it("opens after five failures without a success between them", () => {
    const { breaker, fail, succeed } = setBreaker(startMs);
    fail(4);
    succeed(1);
    fail(4);
    expect([breaker.state, breaker.tryPass()]).toEqual(["closed", "pass"]);
    fail(1);
    expect([breaker.state, breaker.tryPass()]).toEqual(["open", "refuse"]);
  });

  it("opens when half of twenty calls of a second failed", () => {
    const { breaker, fail, succeed } = setBreaker(startMs);
    for (const _ of ended(9)) {
      fail(1);
      succeed(1);
    }
    succeed(1);
    expect(breaker.state).toBe("closed");
    fail(1);
    expect(breaker.state).toBe("open");
  });

  it("does not open when fewer than half of many failed", () => {
    const { breaker, fail, succeed } = setBreaker(startMs);
    succeed(1);
    for (const _ of ended(100)) {
      succeed(1);
      fail(1);
    }
    expect(breaker.state).toBe("closed");
  });

  it("forgets after a second what calls have reported", () => {
    const { breaker, clock, fail, succeed } = setBreaker(startMs);
    for (const _ of ended(9)) {
      succeed(1);
      fail(1);
    }
    clock.advance(1_000);
    succeed(1);
    fail(1);
    expect(breaker.state).toBe("closed");
  });

  it("lets one probe through after 250 ms, then after twice that, to 5 s", () => {
    const { breaker, fail, waitForProbe } = setBreaker(startMs);
    fail(5);
    const waits: number[] = [];
    for (const _ of ended(7)) {
      waits.push(waitForProbe());
      expect([breaker.state, breaker.tryPass(), breaker.tryPass()]).toEqual([
        "half-open",
        "refuse",
        "refuse",
      ]);
      breaker.failed("probe");
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  });

  it("closes when the probe succeeds, and begins anew", () => {
    const { breaker, fail, waitForProbe } = setBreaker(startMs);
    fail(5);
    waitForProbe();
    breaker.failed("probe");
    waitForProbe();
    breaker.succeeded("probe");
    expect([breaker.state, breaker.tryPass()]).toEqual(["closed", "pass"]);
    fail(4);
    expect(breaker.state).toBe("closed");
    fail(1);
    expect(waitForProbe()).toBe(250);
  });

  it("is not moved by calls that were sent before it opened", () => {
    const { breaker, fail, succeed, waitForProbe } = setBreaker(startMs);
    fail(50);
    succeed(50);
    expect(breaker.state).toBe("open");
    expect(waitForProbe()).toBe(250);
    succeed(1);
    fail(1);
    expect(breaker.state).toBe("half-open");
    breaker.succeeded("probe");
    expect(breaker.state).toBe("closed");
  });

  it("probes at once when there is news, and waits shortly again", () => {
    const { breaker, fail, waitForProbe } = setBreaker(startMs);
    fail(5);
    for (const _ of ended(5)) {
      waitForProbe();
      breaker.failed("probe");
    }
    breaker.probeNow();
    expect(breaker.tryPass()).toBe("probe");
    breaker.failed("probe");
    expect(waitForProbe()).toBe(500);
  });

  it("stays closed when there is news", () => {
    const { breaker } = setBreaker(startMs);
    breaker.probeNow();
    expect([breaker.state, breaker.tryPass()]).toEqual(["closed", "pass"]);
  });
});

describe("The wait of a breaker", () => {
  it("is shortened by up to a quarter by chance", () => {
    const waits = [0, 0.5, 0.999_999].map((chance) => {
      const { fail, waitForProbe } = setBreaker(0, () => chance);
      fail(5);
      return waitForProbe();
    });
    expect(waits).toEqual([250, 219, 188]);
  });

  it("differs between the processes of a fleet", () => {
    const waits = [1, 2, 3, 4, 5].map((seed) => {
      const random = seededRandom(seed);
      const { fail, waitForProbe } = setBreaker(0, () => random.next());
      fail(5);
      return waitForProbe();
    });
    expect(new Set(waits).size).toBeGreaterThan(1);
  });
});
