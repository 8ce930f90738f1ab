import { describe, expect, it } from "vitest";
import { fixedLimit } from "../door/fixed-limit";
import type { AttemptEnd } from "../run/prepare-run";
import { runScenario } from "../run/run-scenario";
import type { ClientModel, Scenario, ServerModel, Source } from "../scenario/scenario";

const constant = (meanMs: number) => ({ kind: "constant", meanMs }) as const;

interface Story {
  readonly source?: Source;
  readonly server?: Partial<ServerModel>;
  readonly client?: ClientModel;
  readonly limit?: number;
  readonly durationMs?: number;
}

/** Plays a small story and tells how each attempt ended: `at source#attempt end`. */
function play({ source, server, client, limit = 1, durationMs = 10_000 }: Story) {
  const ends: AttemptEnd[] = [];
  const scenario: Scenario = {
    name: "story",
    title: "a small story",
    durationMs,
    sources: [source ?? { kind: "burst", size: 2, atMs: 1_000 }],
    server: { slots: 1, service: constant(100), ...server },
    ...(client && { client }),
    phases: [{ name: "all", fromMs: 0, toMs: durationMs }],
  };
  const run = runScenario(scenario, {
    limit: () => fixedLimit(limit),
    onAttemptEnd: (end) => ends.push(end),
  });
  const texts = ends.map(({ atMs, attempt, end }) => `${Math.round(atMs)} #${attempt} ${end}`);
  return { run, ends, texts, all: run.phase("all") };
}

describe("clients that are refused", () => {
  it("go away if they do not retry", () => {
    const { texts, ends, all } = play({});
    expect(texts).toEqual(["1000 #1 rejected", "1100 #1 completed"]);
    expect(ends[0]?.reason).toBe("queue_full");
    expect([all.rejectedShare, all.servedShare]).toEqual([0.5, 0.5]);
  });

  it("come again after the wait, longer each time with a backoff, and give up at last", () => {
    const retries = { max: 2, delayMinMs: 10, delayMaxMs: 10, backoff: 3 };
    const { texts, all } = play({ client: { retries } });
    expect(texts).toEqual([
      "1000 #1 rejected",
      "1010 #2 rejected",
      "1040 #3 rejected",
      "1100 #1 completed",
    ]);
    // Ten seconds: two requests, four attempts.
    expect([all.offered, all.attempted]).toEqual([0.2, 0.4]);
  });

  it("retry only after what they are told to retry after", () => {
    const retries = { max: 2, delayMinMs: 10, delayMaxMs: 10, after: ["timeout" as const] };
    expect(play({ client: { retries } }).texts).toEqual(["1000 #1 rejected", "1100 #1 completed"]);
  });
});

describe("clients whose patience ends", () => {
  it("give the slot of the limit back while the server still does their work", () => {
    const source = { kind: "even", perSecond: 1 } as const;
    const server = { service: constant(1_500), abandoned: "finish" } as const;
    const { texts, run } = play({ source, server, client: { timeoutMs: 900 }, durationMs: 4_000 });
    // Each finds the limit free again; the server is busy all the time with what nobody wants.
    expect(texts).toEqual(["1900 #1 timedOut", "2900 #1 timedOut", "3900 #1 timedOut"]);
    expect(run.seconds().map((each) => each.busy)).toEqual([0, 1, 1, 1]);
    expect(run.phase("all").rejected).toBe(0);
  });

  it("count from their arrival, also on the server's queue", () => {
    const server = { service: constant(100), abandoned: "skip" } as const;
    const source = { kind: "burst", size: 4, atMs: 1_000 } as const;
    const { texts } = play({ source, server, client: { timeoutMs: 150 }, limit: 9 });
    expect(texts).toEqual([
      "1100 #1 completed",
      "1150 #1 timedOut",
      "1150 #1 timedOut",
      "1150 #1 timedOut",
    ]);
  });

  it("wait for the first byte of a stream, not for its end", () => {
    const server = { firstByte: constant(100), service: constant(5_000) };
    const { texts, all } = play({ server, client: { timeoutMs: 150 } });
    expect(texts).toEqual(["1000 #1 rejected", "6100 #1 completed"]);
    expect([all.firstByteP50Ms, all.p50Ms]).toEqual([100, 5_100]);
  });
});

describe("sources", () => {
  it("of even requests keep their distance, and change it at steps", () => {
    const steps = [
      { atMs: 2_000, perSecond: 0 },
      { atMs: 5_000, perSecond: 4 },
    ];
    const source = { kind: "even", perSecond: 2, steps } as const;
    const { run } = play({ source, limit: 100 });
    expect(run.seconds().map((each) => each.offered)).toEqual([1, 2, 0, 0, 0, 3, 4, 4, 4, 4]);
  });

  it("of random requests have the rate and the spread that they should", () => {
    const steps = [{ atMs: 1_000_000, perSecond: 5 }];
    const source = { kind: "poisson", perSecond: 20, steps } as const;
    const { run } = play({ source, limit: 1_000, durationMs: 2_000_000 });
    const counts = run.seconds().map((each) => each.offered);
    const moments = (part: readonly number[]) => {
      const mean = part.reduce((sum, each) => sum + each, 0) / part.length;
      const squares = part.reduce((sum, each) => sum + (each - mean) ** 2, 0) / part.length;
      return [mean, squares] as const;
    };
    for (const [part, rate] of [
      [counts.slice(0, 1_000), 20],
      [counts.slice(1_000), 5],
    ] as const) {
      const [mean, squares] = moments(part);
      expect(Math.abs(mean / rate - 1)).toBeLessThan(0.05);
      // A Poisson number has a variance equal to its mean.
      expect(Math.abs(squares / rate - 1)).toBeLessThan(0.15);
    }
  });

  it("of bursts come together, and again", () => {
    const source = { kind: "burst", size: 3, atMs: 500, everyMs: 4_000 } as const;
    const { run } = play({ source, limit: 100 });
    expect(run.seconds().map((each) => each.offered)).toEqual([3, 0, 0, 0, 3, 0, 0, 0, 3, 0]);
  });

  it("of a closed loop never have more in flight than there are clients", () => {
    const source = { kind: "closed-loop", clients: 3, think: constant(500) } as const;
    const { texts } = play({ source, server: { slots: 3 }, limit: 3, durationMs: 2_000 });
    expect(texts).toEqual(
      [600, 1_200, 1_800].flatMap((atMs) => Array(3).fill(`${atMs} #1 completed`)),
    );
  });

  it("have numbers of their own when there are several", () => {
    const scenario: Scenario = {
      name: "two",
      title: "two sources",
      durationMs: 10_000,
      sources: [
        { kind: "even", perSecond: 2, name: "slow", service: constant(400) },
        { kind: "even", perSecond: 1, name: "fast", service: constant(10) },
      ],
      server: { slots: 9, service: constant(100) },
      phases: [{ name: "all", fromMs: 0, toMs: 10_000 }],
    };
    const run = runScenario(scenario, { limit: () => fixedLimit(9) });
    expect(run.sources).toEqual(["slow", "fast"]);
    expect(run.phase("all", "slow").p50Ms).toBeCloseTo(400, 6);
    expect(run.phase("all", "fast").p50Ms).toBeCloseTo(10, 6);
    const offered = run.sources.map((source) => run.phase("all", source).offered);
    expect(offered.reduce((sum, each) => sum + each, 0)).toBeCloseTo(run.phase("all").offered, 9);
    expect(() => run.phase("all", "other")).toThrow("no source other");
    expect(() => run.phase("other")).toThrow("no phase other");
  });
});
