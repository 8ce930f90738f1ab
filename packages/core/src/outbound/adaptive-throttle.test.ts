import type { AdaptiveThrottleOptions, SluiceEvent } from "@sluice/core";
import { FakeClock, realisticStartMs, seededRandom } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { problemPathsOf } from "../../test/problem-paths";
import { adaptiveThrottle } from "./adaptive-throttle";

function throttleOn(options: AdaptiveThrottleOptions = {}, startMs = 0) {
  const clock = new FakeClock({ startMs });
  const events: SluiceEvent[] = [];
  const recorder = { record: (event: SluiceEvent) => void events.push(event) };
  const throttle = adaptiveThrottle({ clock, random: seededRandom(1), recorder, ...options });
  return { clock, throttle, events };
}

type Throttle = ReturnType<typeof throttleOn>["throttle"];

function call(
  throttle: Throttle,
  outcome: "success" | "dropped" | "ignored",
  criticality?: string,
) {
  const verdict = throttle.admit(criticality);
  if (verdict.admitted) verdict.permit.end(outcome);
  return verdict.admitted;
}

/** Calls evenly over each second, of which the upstream accepts the first ones. */
interface Load {
  readonly demand: number;
  readonly accepted: number;
  readonly seconds: number;
}

/** How many calls were sent in each second. */
function sentPerSecond(on: ReturnType<typeof throttleOn>, load: Load): number[] {
  const sent: number[] = [];
  for (let second = 0; second < load.seconds; second += 1) {
    let passed = 0;
    for (let nth = 0; nth < load.demand; nth += 1) {
      if (call(on.throttle, passed < load.accepted ? "success" : "dropped")) passed += 1;
      const elapsed = Math.floor((nth * 1000) / load.demand);
      on.clock.advance(Math.floor(((nth + 1) * 1000) / load.demand) - elapsed);
    }
    sent.push(passed);
  }
  return sent;
}

const mean = (numbers: readonly number[]) =>
  numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

describe("table 4.3: what is sent settles at k times what is accepted", () => {
  it.each([
    { demand: 200, accepted: 100, k: 2, sent: 200 },
    { demand: 200, accepted: 100, k: 1.5, sent: 151 },
    { demand: 200, accepted: 100, k: 1.1, sent: 111 },
    { demand: 1000, accepted: 100, k: 2, sent: 200 },
    { demand: 1000, accepted: 100, k: 1.5, sent: 150 },
    { demand: 1000, accepted: 100, k: 1.1, sent: 109 },
    { demand: 120, accepted: 100, k: 2, sent: 120 },
    { demand: 120, accepted: 100, k: 1.5, sent: 120 },
    { demand: 120, accepted: 100, k: 1.1, sent: 110 },
  ])("$demand offered, $accepted accepted, k $k: $sent", ({ demand, accepted, k, sent }) => {
    const seconds = sentPerSecond(throttleOn({ k }), { demand, accepted, seconds: 120 });
    const last = mean(seconds.slice(-60));
    expect(last / sent).toBeGreaterThan(0.97);
    expect(last / sent).toBeLessThan(1.03);
  });

  it.each([2, 1.5, 1.1])(
    "200 offered, 0 accepted, k %d: the forced probes and hardly more",
    (k) => {
      const seconds = sentPerSecond(throttleOn({ k }), { demand: 200, accepted: 0, seconds: 120 });
      const last = seconds.slice(-60);
      expect(Math.min(...last)).toBeGreaterThanOrEqual(1);
      expect(mean(last)).toBeLessThan(1.1);
    },
  );

  it.each([2, 1.5, 1.1])("with k %d has full flow within one window after a recovery", (k) => {
    const on = throttleOn({ k });
    sentPerSecond(on, { demand: 200, accepted: 0, seconds: 90 });
    sentPerSecond(on, { demand: 200, accepted: 200, seconds: 30 });
    const after = sentPerSecond(on, { demand: 200, accepted: 200, seconds: 10 });
    expect(after).toEqual(new Array(10).fill(200));
  });
});

describe("a probe", () => {
  it("passes every second, whatever is drawn, and no sooner", () => {
    const always = { next: () => 0, id: () => "id" };
    const { clock, throttle } = throttleOn({ random: always });
    for (let n = 0; n < 20; n += 1) call(throttle, "dropped");
    clock.advance(999);
    expect(call(throttle, "dropped")).toBe(false);
    clock.advance(1);
    expect(call(throttle, "dropped")).toBe(true);
    expect(call(throttle, "dropped")).toBe(false);
  });

  it.each([0, realisticStartMs])("is not owed at the start, at %d", (startMs) => {
    const always = { next: () => 0, id: () => "id" };
    const { throttle } = throttleOn({ random: always, minRequests: 0 }, startMs);
    expect([1, 2, 3].map(() => call(throttle, "dropped"))).toEqual([true, false, false]);
  });
});

describe("what counts", () => {
  it("is a refusal at once, and a call when its fate is known", () => {
    const { throttle } = throttleOn({
      random: { next: () => 0, id: () => "id" },
      minRequests: 0,
    });
    const running = Array.from({ length: 50 }, () => throttle.admit());
    expect(running.every(({ admitted }) => admitted)).toBe(true);
    expect(throttle.stats()).toEqual({ requests: 0, accepts: 0, rejectionProbability: 0 });
    const [first, second] = running;
    if (first?.admitted) first.permit.end("dropped");
    expect(throttle.stats()).toEqual({ requests: 1, accepts: 0, rejectionProbability: 0.5 });
    expect(throttle.admit().admitted).toBe(false);
    expect(throttle.stats()).toMatchObject({ requests: 2, accepts: 0 });
    if (second?.admitted) second.permit.end("ignored");
    expect(throttle.stats()).toMatchObject({ requests: 2, accepts: 0 });
  });

  it("is an answer that has begun as accepted, once, also if it breaks off later", () => {
    const { throttle } = throttleOn();
    const verdict = throttle.admit();
    if (!verdict.admitted) throw new Error("expected to pass");
    verdict.permit.firstByte();
    verdict.permit.firstByte();
    verdict.permit.end("dropped");
    verdict.permit.end("success");
    expect(throttle.stats()).toMatchObject({ requests: 1, accepts: 1 });
  });

  it("is kept apart by criticality", () => {
    const { throttle } = throttleOn();
    for (let n = 0; n < 1000; n += 1) call(throttle, "dropped", "sheddable");
    expect(throttle.stats("sheddable").rejectionProbability).toBeGreaterThan(0.99);
    expect(throttle.stats("critical")).toMatchObject({ requests: 0, rejectionProbability: 0 });
    expect(throttle.stats()).toEqual(throttle.stats("critical"));
    for (let n = 0; n < 100; n += 1) expect(call(throttle, "success", "critical_plus")).toBe(true);
  });
});

describe("a refusal", () => {
  it("is a verdict with the reason throttled and a jittered hint, and an event", () => {
    const { throttle, events } = throttleOn({ name: "search", retryAfterMs: 2000 });
    for (let n = 0; n < 100; n += 1) call(throttle, "dropped");
    const verdict = throttle.admit();
    if (verdict.admitted) throw new Error("expected a refusal");
    const { retryAfterMs, ...rejection } = verdict.rejection;
    expect(rejection).toEqual({ reason: "throttled", retryable: true, violated: [] });
    expect(retryAfterMs).toBeGreaterThanOrEqual(1500);
    expect(retryAfterMs).toBeLessThanOrEqual(2000);
    expect(events.at(-1)).toEqual({
      type: "outbound_rejected",
      outbound: "search",
      reason: "throttled",
      criticality: "critical",
      retryAfterMs,
    });
  });
});

describe("bad input", () => {
  it.each([
    [{ k: 0.9 }, ["k"]],
    [{ k: Number.NaN }, ["k"]],
    [
      { windowMs: 999, minRequests: -1, probeEveryMs: 0, retryAfterMs: 1.5 },
      ["windowMs", "minRequests", "probeEveryMs", "retryAfterMs"],
    ],
    [{ criticalities: [] }, ["criticalities"]],
    [{ criticalities: ["a", "a"] }, ["criticalities"]],
    [{ criticalities: new Array(2) }, ["criticalities"]],
    [{ name: "a b", clock: {}, K: 2 }, ["K", "clock", "name"]],
  ])("%j is refused", (options, paths) => {
    const make = () => adaptiveThrottle(options as unknown as AdaptiveThrottleOptions);
    expect(problemPathsOf(make)).toEqual(paths);
  });

  it("is an unknown criticality, whether asked or looked at", () => {
    const { throttle } = throttleOn({ criticalities: ["high", "low"] });
    expect(problemPathsOf(() => throttle.admit("critical"))).toEqual(["criticality"]);
    expect(problemPathsOf(() => throttle.stats("critical"))).toEqual(["criticality"]);
    expect(throttle.admit().admitted).toBe(true);
  });
});
