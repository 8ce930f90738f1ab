import type { Milliseconds } from "@sluice/core";
import type { Phase } from "../scenario/phase";
import type { SecondLevels } from "./level-meter";
import type { Meter, SecondCounts } from "./meter";

/** What one phase of a run came to. Rates are per second; a share is 0 to 1. */
export interface PhaseSummary {
  readonly phase: string;
  readonly fromMs: Milliseconds;
  readonly toMs: Milliseconds;
  /** The limit as its mean over time, its greatest and least mean of a second. */
  readonly meanLimit: number;
  readonly maxLimit: number;
  readonly minLimit: number;
  readonly meanInFlight: number;
  /** Busy slots of the server. */
  readonly meanBusy: number;
  /** New requests. */
  readonly offered: number;
  /** Attempts: new requests and retries. */
  readonly attempted: number;
  /** Attempts that were let in. */
  readonly started: number;
  /** Answers that reached their client. */
  readonly goodput: number;
  /** Goodput as a share of what was offered. */
  readonly servedShare: number;
  readonly rejected: number;
  /** Refused attempts as a share of all attempts. */
  readonly rejectedShare: number;
  readonly timedOut: number;
  /** Least number of attempts let in within one second. */
  readonly minStarted: number;
  /** Of answered attempts, from their arrival; `NaN` if there are none. */
  readonly p50Ms: Milliseconds;
  readonly p99Ms: Milliseconds;
  /** The largest p99 of any slot; slots are 5 s, in runs beyond 300 s 10 s. */
  readonly p99MaxMs: Milliseconds;
  /** Of streams: from arrival to first byte; `NaN` without streams. */
  readonly firstByteP50Ms: Milliseconds;
  readonly firstByteP99Ms: Milliseconds;
  /** The least share of attempts that were not refused in any slot of 5 s. */
  readonly worstSlotShare: number;
}

/** The numbers of a summary that an expectation can name. */
export type PhaseMeasure = Exclude<keyof PhaseSummary, "phase" | "fromMs" | "toMs">;

/** What was recorded of a run, for one source or all. */
export interface Recorded {
  readonly meter: Meter;
  readonly levels: readonly SecondLevels[];
  readonly durationMs: Milliseconds;
}

const WORST_SLOT_MS = 5_000;

/** Sums a phase up. */
export function summaryOf(phase: Phase, recorded: Recorded): PhaseSummary {
  const { name, fromMs, toMs } = phase;
  const { meter, levels, durationMs } = recorded;
  const [from, to] = [fromMs / 1_000, toMs / 1_000];
  const counts = meter.seconds.slice(from, to);
  const parts = levels.slice(from, to);
  const rate = (what: keyof SecondCounts) => sum(counts, what) / (to - from);
  const limits = parts.map((each) => each.limit);
  const slotMs = durationMs > 300_000 ? 10_000 : 5_000;
  const slotP99s = slotsOf(phase, slotMs).map(
    ([start, end]) => meter.latencies.quantiles(start, end, [0.99])[0] as number,
  );
  const [p50Ms, p99Ms] = meter.latencies.quantiles(fromMs, toMs, [0.5, 0.99]);
  const [firstByteP50Ms, firstByteP99Ms] = meter.firstBytes.quantiles(fromMs, toMs, [0.5, 0.99]);
  return {
    phase: name,
    fromMs,
    toMs,
    meanLimit: mean(limits),
    maxLimit: Math.max(...limits),
    minLimit: Math.min(...limits),
    meanInFlight: mean(parts.map((each) => each.inFlight)),
    meanBusy: mean(parts.map((each) => each.busy)),
    offered: rate("requests"),
    attempted: rate("attempts"),
    started: rate("started"),
    goodput: rate("completed"),
    servedShare: share(rate("completed"), rate("requests")),
    rejected: rate("rejected"),
    rejectedShare: share(rate("rejected"), rate("attempts")),
    timedOut: rate("timedOut"),
    minStarted: Math.min(...counts.map((each) => each.started)),
    p50Ms: p50Ms as number,
    p99Ms: p99Ms as number,
    p99MaxMs: maxOf(slotP99s),
    firstByteP50Ms: firstByteP50Ms as number,
    firstByteP99Ms: firstByteP99Ms as number,
    worstSlotShare: worstSlotShare(phase, meter),
  };
}

function worstSlotShare(phase: Phase, meter: Meter): number {
  const shares = slotsOf(phase, WORST_SLOT_MS).map(([fromMs, toMs]) => {
    const counts = meter.seconds.slice(fromMs / 1_000, toMs / 1_000);
    return 1 - share(sum(counts, "rejected"), sum(counts, "attempts"));
  });
  return Math.min(...shares);
}

/** The whole slots of a phase; the phase itself if it is shorter than one. */
function slotsOf({ fromMs, toMs }: Phase, slotMs: Milliseconds): readonly [number, number][] {
  const count = Math.floor((toMs - fromMs) / slotMs);
  if (count === 0) return [[fromMs, toMs]];
  return Array.from({ length: count }, (_, index) => {
    const start = fromMs + index * slotMs;
    return [start, start + slotMs];
  });
}

function sum(counts: readonly SecondCounts[], what: keyof SecondCounts): number {
  return counts.reduce((total, each) => total + each[what], 0);
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

/** The greatest of those that are numbers; `NaN` if none is. */
function maxOf(values: readonly number[]): number {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.length === 0 ? Number.NaN : Math.max(...known);
}

/** `NaN` has no place in a mean over seeds: a share of nothing is 0. */
function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
