import type { GateCounts, GateSettings } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../runs";
import { ClassPlay, type Visit } from "./class-play";
import { anyClassScenario } from "./class-scenario";

/** What is kept of each reservation under the cap, by the sentence in the reference. */
function keptOf({ maxInFlight: cap, classes = {} }: GateSettings): Map<string, number> {
  const reserved = Object.values(classes).map((each) => each.reserved);
  const sum = reserved.reduce((total, each) => total + each, 0);
  const fits = sum <= cap && (sum < cap || reserved.every((each) => each > 0));
  return new Map(
    Object.entries(classes).map(([name, each]) => [
      name,
      fits ? each.reserved : Math.floor((each.reserved * (cap - 1)) / sum),
    ]),
  );
}

type Counts = Readonly<Record<string, GateCounts>>;

/** Slots in use, and those that are kept and not in use: of all classes, or of all but one. */
function takenOrKept(counts: Counts, kept: ReadonlyMap<string, number>, except?: string): number {
  return Object.entries(counts).reduce((sum, [name, { inFlight }]) => {
    const unused = name === except ? 0 : Math.max(0, (kept.get(name) ?? 0) - inFlight);
    return sum + inFlight + unused;
  }, 0);
}

const countsOf = (play: ClassPlay): Counts => {
  const stats = play.gate.stats();
  return stats.classes ?? { "": stats };
};

function expectNobodyWaitsInVain(play: ClassPlay) {
  const counts = countsOf(play);
  const kept = keptOf(play.gate.settings);
  for (const [name, { queued }] of Object.entries(counts)) {
    if (queued === 0) continue;
    expect(takenOrKept(counts, kept, name) + 1).toBeGreaterThan(play.gate.settings.maxInFlight);
  }
}

/** Whom it refused with `queue_full` since `from`, although somebody of a lower rank waits. */
function unjustlyRefused(play: ClassPlay, from: number): Visit[] {
  const rankOf = ({ className }: Visit) => play.gate.settings.classes?.[className]?.rank ?? 0;
  const lowest = Math.min(...play.waiting.map(rankOf));
  return play.visits.slice(from).filter((visit) => {
    return visit.reason === "queue_full" && rankOf(visit) > lowest;
  });
}

describe("a gate with an adaptive limit, with and without classes", () => {
  it("keeps limit, reservations, order and bounds, and loses no wake-up", async () => {
    await fc.assert(
      fc.asyncProperty(anyClassScenario, async (scenario) => {
        const play = new ClassPlay(scenario);
        for (const step of scenario.steps) {
          const before = countsOf(play);
          const probesBefore = step.do === "probe" ? 1 : play.limit.probes;
          const visitsBefore = play.visits.length;
          await play.take(step);
          const { inFlight, queued } = play.gate.stats();
          const { maxInFlight, queue } = play.gate.settings;
          const probes = probesBefore - play.limit.probes;
          // 0 <= I <= max(L, I at the last decrease), or one beyond L with a probe.
          const inFlightBefore = takenOrKept(before, new Map());
          expect(inFlight).toBeGreaterThanOrEqual(0);
          expect(inFlight).toBeLessThanOrEqual(Math.max(maxInFlight + probes, inFlightBefore));
          // Nobody takes what is kept for another class.
          const kept = keptOf(play.gate.settings);
          const bound = Math.max(maxInFlight, takenOrKept(before, kept)) + probes;
          expect(takenOrKept(countsOf(play), kept)).toBeLessThanOrEqual(bound);
          expect(queued).toBeLessThanOrEqual(queue.max);
          expect(queued).toBe(play.waiting.length);
          expectNobodyWaitsInVain(play);
          expect(unjustlyRefused(play, visitsBefore)).toEqual([]);
        }
      }),
      runs(150),
    );
  });

  it("starts as many waiters as the limit rises, and no more than wait", async () => {
    await fc.assert(
      fc.asyncProperty(anyClassScenario, fc.integer({ min: 1, max: 9 }), async (scenario, rise) => {
        const play = new ClassPlay({ ...scenario, classes: {} });
        for (const step of scenario.steps) await play.take(step);
        const { inFlight, queued } = play.gate.stats();
        const { limit } = play.limit;
        play.limit.set(limit + rise);
        const room = Math.max(0, limit + rise - inFlight);
        expect(play.gate.stats().inFlight).toBe(inFlight + Math.min(room, queued));
      }),
      runs(100),
    );
  });

  it("settles each once, in the order of class and key, nobody whose time is over", async () => {
    await fc.assert(
      fc.asyncProperty(anyClassScenario, async (scenario) => {
        const play = new ClassPlay(scenario);
        for (const step of scenario.steps) await play.take(step);
        for (let turn = 0; play.gate.stats().inFlight + play.gate.stats().queued > 0; turn++) {
          expect(turn).toBeLessThan(200);
          for (const visit of play.running) play.end(visit, "success");
          await play.clock.advanceAsync(1);
        }
        for (const visit of play.running) play.end(visit, "success");
        expect(play.visits.filter(({ settlements }) => settlements !== 1)).toEqual([]);
        for (const visit of play.started) {
          if (visit.permit?.waitedMs === 0) continue;
          expect(visit.permit?.waitedMs).toBeLessThan(visit.boundMs);
        }
        const last = new Map<string, number>();
        for (const { id, className, key } of play.started) {
          const line = `${className}/${key}`;
          expect(id).toBeGreaterThan(last.get(line) ?? -1);
          last.set(line, id);
        }
        const counts = play.gate.stats();
        expect(counts).toMatchObject({ inFlight: 0, queued: 0 });
        expect(counts.admitted + counts.rejected).toBe(play.visits.length);
        expect(play.clock.isIdle).toBe(true);
      }),
      runs(150),
    );
  });

  it("samples each call that started as it went, and no other", async () => {
    await fc.assert(
      fc.asyncProperty(anyClassScenario, async (scenario) => {
        const play = new ClassPlay(scenario);
        for (const step of scenario.steps) await play.take(step);
        const { samples } = play.limit;
        const told = samples.map(({ latencyMs, outcome }) => ({ latencyMs, outcome }));
        expect(told).toEqual(play.expectedSamples);
        for (const { inFlight } of samples) expect(inFlight).toBeGreaterThanOrEqual(1);
      }),
      runs(150),
    );
  });
});
