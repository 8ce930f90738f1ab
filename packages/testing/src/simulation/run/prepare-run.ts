import type { Clock, Random, Reason } from "@sluice/core";
import { requireSeed } from "../../input/require-seed";
import { seededRandom } from "../../random/seeded-random";
import { nameOf, startSource } from "../client/arrivals";
import { Traffic, type VisitEnd } from "../client/traffic";
import type { Visit } from "../client/visit";
import type { Door } from "../door/door";
import { SimulationClock } from "../engine/simulation-clock";
import { LevelMeter } from "../measure/level-meter";
import { Measurements } from "../measure/measurements";
import { Meter } from "../measure/meter";
import { readScenario } from "../scenario/read-scenario";
import type { Scenario } from "../scenario/scenario";
import { FifoServer } from "../server/fifo-server";
import { SharingServer } from "../server/sharing-server";
import type { SimulatedServer } from "../server/simulated-server";

/** What is given to whoever is simulated; it must take time and chance from nowhere else. */
export interface SimulatedWorld {
  readonly clock: Clock;
  readonly random: Random;
}

/** One attempt that has ended, for traces and tests. */
export interface AttemptEnd {
  /** Milliseconds since the start, with their fraction. */
  readonly atMs: number;
  readonly source: string;
  /** 1 for the first attempt of a request. */
  readonly attempt: number;
  readonly arrivedAtMs: number;
  readonly end: VisitEnd;
  /** Why it was rejected. */
  readonly reason?: Reason;
}

/** How to run a scenario, whatever it is run on. */
export interface RunOptions {
  /** An integer from 0 to 1 000 000 000. Equal seeds give equal runs. @defaultValue 1 */
  readonly seed?: number;
  /** Hears of each attempt when it ends. */
  readonly onAttemptEnd?: (end: AttemptEnd) => void;
}

/** A run that is ready to go. */
export interface PreparedRun {
  readonly clock: SimulationClock;
  readonly traffic: Traffic;
  measurements(): Measurements;
}

/** Streams of chance per seed; more sources than this is more than a scenario may have. */
const STREAMS_PER_SEED = 1_000;
const FIRST_SOURCE_STREAM = 10;

/**
 * Builds everything that takes part in a run. Arrivals, service times, retries and the door draw
 * from streams of their own, so that two doors meet the same arrivals under one seed.
 *
 * @throws InvalidOptionsError listing everything that is wrong with the scenario.
 */
export function prepareRun(
  given: Scenario,
  { seed = 1, onAttemptEnd }: RunOptions,
  doorOf: (world: SimulatedWorld, clock: SimulationClock) => Door,
): PreparedRun {
  const scenario = readScenario(given);
  requireSeed(seed);
  const chance = (stream: number) => seededRandom(seed * STREAMS_PER_SEED + stream);
  const clock = new SimulationClock();
  const door = doorOf({ clock, random: chance(0) }, clock);
  const server = serverOf(scenario, clock, chance(1));
  const meters = metersOf(scenario);
  const levels = new LevelMeter();
  const traffic = new Traffic({
    clock,
    random: chance(2),
    door,
    server,
    client: scenario.client ?? {},
    ...meters,
    levels,
    onEnd: onAttemptEnd && reporter(clock, onAttemptEnd),
  });
  // Levels first, then steps: what happens at a full second belongs to the second it begins.
  startSeconds(clock, levels, { door, server });
  for (const step of scenario.server.steps ?? []) {
    clock.at(step.atMs, { run: () => server.apply(step) });
  }
  for (const [index, source] of scenario.sources.entries()) {
    startSource(source, traffic, chance(FIRST_SOURCE_STREAM + index));
  }
  return { clock, traffic, measurements: () => new Measurements({ scenario, ...meters, levels }) };
}

function serverOf({ server }: Scenario, clock: SimulationClock, random: Random): SimulatedServer {
  if (server.discipline === "processor-sharing") return new SharingServer(server, clock, random);
  return new FifoServer(server, clock, random);
}

/** A meter of everything, and, where there are several sources, one of each. */
function metersOf({ sources, durationMs }: Scenario) {
  const names = [...new Set(sources.map(nameOf))];
  const separate = names.length < 2 ? [] : names;
  return {
    total: new Meter(durationMs),
    metersBySource: new Map(separate.map((name) => [name, new Meter(durationMs)])),
  };
}

/** Closes the levels of each second at its end. */
function startSeconds(
  clock: SimulationClock,
  levels: LevelMeter,
  { door, server }: { readonly door: Door; readonly server: SimulatedServer },
): void {
  let second = 0;
  const observe = () => levels.observe(clock.exactMs, door.limit, door.inFlight, server.busy);
  const target = {
    run: () => {
      observe();
      levels.closeSecond();
      next();
    },
  };
  const next = () => {
    second += 1;
    clock.at(second * 1_000, target);
  };
  observe();
  next();
}

function reporter(clock: SimulationClock, onAttemptEnd: (end: AttemptEnd) => void) {
  return (visit: Visit, end: VisitEnd, reason?: Reason) => {
    const { source, attempt, arrivedAtMs } = visit;
    const what = { atMs: clock.exactMs, source, attempt, arrivedAtMs, end };
    onAttemptEnd(reason === undefined ? what : { ...what, reason });
  };
}
