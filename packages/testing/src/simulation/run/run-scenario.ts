import type { AdaptiveLimit, Clock, Random, Reason } from "@sluice/core";
import { seededRandom } from "../../random/seeded-random";
import { nameOf, startSource } from "../client/arrivals";
import { Traffic, type VisitEnd } from "../client/traffic";
import type { Visit } from "../client/visit";
import type { Door } from "../door/door";
import { LimitDoor } from "../door/limit-door";
import { SimulationClock } from "../engine/simulation-clock";
import { LevelMeter } from "../measure/level-meter";
import { Measurements } from "../measure/measurements";
import { Meter } from "../measure/meter";
import type { Scenario } from "../scenario/scenario";
import { FifoServer } from "../server/fifo-server";
import { SharingServer } from "../server/sharing-server";

/** What is given to whoever is simulated; it must take time and chance from nowhere else. */
export interface SimulatedWorld {
  readonly clock: Clock;
  readonly random: Random;
}

/** One attempt that has ended, for traces and tests. */
export interface AttemptEnd {
  readonly atMs: number;
  readonly source: string;
  readonly attempt: number;
  readonly arrivedAtMs: number;
  readonly end: VisitEnd;
  readonly reason?: Reason;
}

/** How to run a scenario. */
export interface RunOptions {
  /** Any safe integer. Equal seeds give equal runs. @defaultValue 1 */
  readonly seed?: number;
  /** Hears of each attempt when it ends. */
  readonly onAttemptEnd?: (end: AttemptEnd) => void;
}

/** How to run a scenario on an adaptive limit. */
export interface RunLimitOptions extends RunOptions {
  readonly limit: (world: SimulatedWorld) => AdaptiveLimit;
}

/**
 * Plays a scenario on an adaptive limit that stands alone: who finds it full is refused at once.
 * Synchronous; about a million requests take a few seconds.
 */
export function runScenario(scenario: Scenario, options: RunLimitOptions): Measurements {
  const isStream = scenario.server.firstByte !== undefined;
  const run = prepareRun(scenario, options, (world, clock) => {
    const { heldUntil = "end", sampledAt = isStream ? "first-byte" : "end" } = scenario;
    return new LimitDoor(options.limit(world), clock, { heldUntil, sampledAt });
  });
  run.clock.runUntil(scenario.durationMs);
  return run.measurements();
}

/** A run that is ready to go. */
export interface PreparedRun {
  readonly clock: SimulationClock;
  measurements(): Measurements;
}

/**
 * Builds everything that takes part in a run. Arrivals, service times, retries and the door draw
 * from streams of their own, so that two doors meet the same arrivals under one seed.
 */
export function prepareRun(
  scenario: Scenario,
  { seed = 1, onAttemptEnd }: RunOptions,
  doorOf: (world: SimulatedWorld, clock: SimulationClock) => Door,
): PreparedRun {
  const clock = new SimulationClock();
  const chance = (stream: number) => seededRandom(seed * 1_000 + stream);
  const door = doorOf({ clock, random: chance(0) }, clock);
  const server = serverOf(scenario, clock, chance(1));
  const names = [...new Set(scenario.sources.map(nameOf))];
  const total = new Meter(scenario.durationMs);
  const metersBySource = new Map(
    names.length < 2 ? [] : names.map((name) => [name, new Meter(scenario.durationMs)]),
  );
  const levels = new LevelMeter();
  const onEnd =
    onAttemptEnd &&
    ((visit: Visit, end: VisitEnd, reason?: Reason) =>
      onAttemptEnd(attemptEnd(clock.exactMs, visit, end, reason)));
  const traffic = new Traffic({
    clock,
    random: chance(2),
    door,
    server,
    client: scenario.client ?? {},
    meters: [total],
    metersBySource,
    levels,
    onEnd,
  });
  const observe = () => levels.observe(clock.exactMs, door.limit, door.inFlight, server.busy);
  observe();
  startSeconds(clock, () => {
    observe();
    levels.closeSecond();
  });
  for (const step of scenario.server.steps ?? []) {
    clock.at(step.atMs, { run: () => server.apply(step) });
  }
  for (const [index, source] of scenario.sources.entries()) {
    startSource(source, traffic, chance(10 + index));
  }
  return {
    clock,
    measurements: () => new Measurements({ scenario, total, metersBySource, levels }),
  };
}

function serverOf({ server }: Scenario, clock: SimulationClock, random: Random) {
  if (server.discipline === "processor-sharing") return new SharingServer(server, clock, random);
  return new FifoServer(server, clock, random);
}

function startSeconds(clock: SimulationClock, onSecond: () => void): void {
  let second = 0;
  const target = {
    run: () => {
      onSecond();
      next();
    },
  };
  const next = () => {
    second += 1;
    clock.at(second * 1_000, target);
  };
  next();
}

function attemptEnd(atMs: number, visit: Visit, end: VisitEnd, reason?: Reason): AttemptEnd {
  const { source, attempt, arrivedAtMs } = visit;
  const what = { atMs, source, attempt, arrivedAtMs, end };
  return reason === undefined ? what : { ...what, reason };
}
