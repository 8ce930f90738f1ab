import type { Phase } from "../scenario/phase";
import type { Scenario } from "../scenario/scenario";
import type { LevelMeter } from "./level-meter";
import type { Meter } from "./meter";
import { type PhaseSummary, summaryOf } from "./phase-summary";

/** What one second of a run came to. Latencies are `NaN` when nothing ended. */
export interface SecondRow {
  readonly second: number;
  readonly limit: number;
  readonly inFlight: number;
  readonly busy: number;
  readonly offered: number;
  readonly started: number;
  readonly rejected: number;
  readonly timedOut: number;
  readonly goodput: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface MeasurementsParts {
  readonly scenario: Scenario;
  readonly total: Meter;
  readonly metersBySource: ReadonlyMap<string, Meter>;
  readonly levels: LevelMeter;
}

/** What was measured in one run of a scenario. */
export class Measurements {
  readonly #parts: MeasurementsParts;

  constructor(parts: MeasurementsParts) {
    this.#parts = parts;
  }

  get scenario(): Scenario {
    return this.#parts.scenario;
  }

  /** The names of the sources that have numbers of their own; empty if there is only one. */
  get sources(): readonly string[] {
    return [...this.#parts.metersBySource.keys()];
  }

  /** A phase of the scenario in numbers, of one source or of all. */
  phase(name: string, source?: string): PhaseSummary {
    const { phases, durationMs } = this.scenario;
    const phase = phases.find((each) => each.name === name);
    if (phase === undefined) throw new Error(`Scenario ${this.scenario.name}: no phase ${name}`);
    return this.#summary(phase, source, durationMs);
  }

  /** All phases, in the order of the scenario. */
  summary(source?: string): readonly PhaseSummary[] {
    return this.scenario.phases.map((phase) => this.phase(phase.name, source));
  }

  /** The run second by second. */
  seconds(source?: string): readonly SecondRow[] {
    const meter = this.#meterOf(source);
    return this.#parts.levels.seconds.map(({ limit, inFlight, busy }, second) => {
      const counts = meter.seconds[second];
      const fromMs = second * 1_000;
      const [p50Ms, p99Ms] = meter.latencies.quantiles(fromMs, fromMs + 1_000, [0.5, 0.99]);
      return {
        second,
        limit,
        inFlight,
        busy,
        offered: counts?.requests ?? 0,
        started: counts?.started ?? 0,
        rejected: counts?.rejected ?? 0,
        timedOut: counts?.timedOut ?? 0,
        goodput: counts?.completed ?? 0,
        p50Ms: p50Ms as number,
        p99Ms: p99Ms as number,
      };
    });
  }

  #summary(phase: Phase, source: string | undefined, durationMs: number): PhaseSummary {
    const levels = this.#parts.levels.seconds;
    return summaryOf(phase, { meter: this.#meterOf(source), levels, durationMs });
  }

  #meterOf(source: string | undefined): Meter {
    if (source === undefined) return this.#parts.total;
    const meter = this.#parts.metersBySource.get(source);
    if (meter === undefined) throw new Error(`Scenario ${this.scenario.name}: no source ${source}`);
    return meter;
  }
}
