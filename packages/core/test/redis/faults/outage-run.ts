import type { Question } from "@sluice/core";
import { pollUntil } from "../../../../../tools/redis/poll-until";
import { pause } from "../executor/stage";
import { DECIDED_WITHIN_MS, type FaultRow } from "./fault-table";
import { countedIn, type Subject } from "./subject";
import { type Observed, Traffic } from "./traffic";

/** The name of the descriptor that the traffic of an outage asks for. */
export const TRAFFIC_ID = "traffic";

/** So many answers of the store in a row mean that it is back. */
const BACK_AFTER = 10;

/** Whoever waited for so long waited for a reply. */
const UNHEARD_AFTER_MS = 90;

export interface Outage {
  readonly subjects: readonly Subject[];
  /** @default one that no test fills */
  readonly question?: Question;
  /** Between two questions of one subject. @default 20 */
  readonly everyMs?: number;
  /** True if the fault is there before the first question. */
  readonly isThereFromStart?: boolean;
  /** Begins the fault. */
  readonly begin: () => unknown;
  /** How long until it is ended. */
  readonly lastsMs: number;
  /** Ends it; the recovery is measured from when that is done. */
  readonly end: () => unknown;
  /** Whether a subject has to recover; those with the default options of a client need not. */
  readonly hasToRecover?: (subject: Subject) => boolean;
  readonly recoversWithinMs?: number;
}

/** What one subject went through. */
export interface OutageReport {
  readonly subject: Subject;
  readonly observed: readonly Observed[];
  /** Asked while the fault lasted. */
  readonly during: readonly Observed[];
  /** How long a verdict took, without stalls of the event loop. */
  readonly durationMs: (observed: Observed) => number;
  readonly isDisturbed: (observed: Observed) => boolean;
  readonly worstMs: number;
  /**
   * From the end of the fault to the first of ten answers of the store in a row, without stalls of
   * the event loop.
   */
  readonly recoveryMs: number | undefined;
  /** Calls before and after the fault that were not answered in time: the machine was busy. */
  readonly unheard: number;
  /** Units that the store said it had charged. */
  readonly admittedByStore: number;
}

/** Asks all subjects at a steady rate before, in and after a fault, until they have recovered. */
export async function runOutage(outage: Outage): Promise<readonly OutageReport[]> {
  const { subjects, everyMs = 20, lastsMs, recoversWithinMs = 15_000 } = outage;
  const { hasToRecover = () => true, question = countedIn(TRAFFIC_ID) } = outage;
  const runs = subjects.map((subject) => ({
    subject,
    traffic: new Traffic(subject.limiter, () => question, everyMs),
  }));
  if (outage.isThereFromStart !== true) {
    await Promise.all(runs.map(({ traffic }) => backOf(traffic, 0, 20_000)));
  }
  const beganMs = performance.now();
  await outage.begin();
  await pause(lastsMs);
  const endsMs = performance.now();
  await outage.end();
  const endedMs = performance.now();
  const needed = runs.filter(({ subject }) => hasToRecover(subject));
  try {
    await Promise.all(needed.map(({ traffic }) => backOf(traffic, endedMs, recoversWithinMs)));
  } finally {
    await Promise.all(runs.map(({ traffic }) => traffic.stop()));
  }
  return runs.map(({ subject, traffic }) => {
    const durationMs = (observed: Observed) => traffic.durationMs(observed);
    const { observed } = traffic;
    const isUnheard = ({ source, askedMs, endedMs: heardMs }: Observed) =>
      source !== "store" &&
      heardMs - askedMs >= UNHEARD_AFTER_MS &&
      (askedMs < beganMs - UNHEARD_AFTER_MS || askedMs >= endsMs);
    return {
      subject,
      observed,
      durationMs,
      isDisturbed: (each) => traffic.isDisturbed(each),
      during: observed.filter(({ askedMs }) => beganMs <= askedMs && askedMs < endsMs),
      worstMs: Math.max(...observed.map(durationMs)),
      recoveryMs: recoveryOf(traffic, endedMs),
      unheard: observed.filter(isUnheard).length,
      admittedByStore: observed.filter((each) => each.admitted && each.source === "store").length,
    };
  });
}

function recoveryOf(traffic: Traffic, endedMs: number): number | undefined {
  const after = traffic.observed.filter(({ askedMs }) => askedMs >= endedMs);
  const first = after.findIndex((_, index) => {
    const inRow = after.slice(index, index + BACK_AFTER);
    return inRow.length === BACK_AFTER && inRow.every(({ source }) => source === "store");
  });
  const back = after[first];
  return back === undefined ? undefined : traffic.durationMs({ ...back, askedMs: endedMs });
}

function backOf({ observed }: Traffic, sinceMs: number, timeoutMs: number): Promise<unknown> {
  return pollUntil(
    () => {
      const last = observed.slice(-BACK_AFTER);
      const areOwn = last.every(({ source, askedMs }) => source === "store" && askedMs >= sinceMs);
      return last.length === BACK_AFTER && areOwn;
    },
    { what: "the store answers again", timeoutMs },
  );
}

/** The part of a row that every outage has. */
export function rowOf(
  report: OutageReport,
): Pick<FaultRow, "client" | "worstMs" | "policy" | "recovery"> {
  const { subject, worstMs, during, recoveryMs } = report;
  const byPolicy = during.filter(({ source }) => source !== "store").length;
  return {
    client: subject.name,
    worstMs,
    policy: `${byPolicy} of ${during.length}`,
    recovery: recoveryMs ?? "not in this test",
  };
}

/** The names of the subjects whose worst verdict was late; there should be none. */
export function lateOf(reports: readonly OutageReport[]): readonly string[] {
  return reports
    .filter(({ worstMs }) => worstMs > DECIDED_WITHIN_MS)
    .map(({ subject, worstMs }) => `${subject.name}: ${worstMs.toFixed(1)} ms`);
}
