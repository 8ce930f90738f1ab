import { dropRejection, record } from "../event/recorder";
import type { Milliseconds } from "../limit/limit";
import type { LimitStatus, Reason } from "../verdict/verdict";
import type { GateRejected } from "./gate";
import type { GateConfig } from "./gate-options";
import type { SlotEnd } from "./gate-permit";
import type { ClassCounts, LiveClass } from "./live-class";

/** Where the gate stands when it refuses somebody, who is in neither number. */
export interface Occupancy {
  readonly inFlight: number;
  readonly queued: number;
}

/** A refusal that was enforced, or would have been. */
export interface Refusal extends Occupancy {
  readonly reason: Reason;
  readonly waitedMs: Milliseconds;
}

/** A gate has no limits to report on. */
const noStatuses: readonly LimitStatus[] = Object.freeze([]);

/** What a gate tells others about itself: counts, events, and the verdicts of those it refuses. */
export class GateReport {
  readonly #config: GateConfig;

  constructor(config: GateConfig) {
    this.#config = config;
  }

  /** Notes that a request was let in; `unenforced` is the refusal that it escaped, if any. */
  admitted(by: LiveClass, waitedMs: Milliseconds, unenforced: Refusal | undefined): void {
    by.counts.admitted += 1;
    if (unenforced !== undefined) by.counts.shadowRejected += 1;
    const { recorder, name } = this.#config;
    // Every request passes here, so events are only made for somebody.
    if (recorder === undefined) return;
    if (unenforced !== undefined) this.#recordRejection(by, unenforced, true);
    const shadow = unenforced !== undefined;
    record(recorder, { type: "gate_admitted", gate: name, ...classOf(by), waitedMs, shadow });
  }

  ended(by: LiveClass, { heldMs, outcome, firstByteMs }: SlotEnd): void {
    const { recorder, name } = this.#config;
    if (recorder === undefined) return;
    const event = { type: "gate_ended", gate: name, ...classOf(by), outcome, heldMs } as const;
    record(recorder, firstByteMs === undefined ? event : { ...event, firstByteMs });
  }

  /** Notes a refusal, lets `onReject` add to it, and returns its verdict. */
  rejected(by: LiveClass, refusal: Refusal, retryAfterMs: Milliseconds): GateRejected {
    const { reason, inFlight, queued } = refusal;
    const { counts } = by;
    counts.rejected += 1;
    counts.rejectedByReason.set(reason, (counts.rejectedByReason.get(reason) ?? 0) + 1);
    this.#recordRejection(by, refusal, false);
    const rejection = { reason, retryAfterMs, retryable: true, violated: noStatuses };
    const verdict = { admitted: false, rejection, statuses: noStatuses, inFlight, queued } as const;
    const degraded = this.#degraded(verdict);
    return degraded === undefined ? verdict : { ...verdict, degraded };
  }

  #recordRejection(by: LiveClass, refusal: Refusal, shadow: boolean): void {
    const { recorder, name } = this.#config;
    if (recorder === undefined) return;
    record(recorder, { type: "gate_rejected", gate: name, ...classOf(by), shadow, ...refusal });
  }

  #degraded(verdict: GateRejected): unknown {
    try {
      const degraded = this.#config.onReject?.(verdict);
      // Not a degraded answer: nobody could await it in time.
      return dropRejection(degraded) ? undefined : degraded;
    } catch {
      // A broken degraded answer must not turn a refusal into an error.
      return undefined;
    }
  }
}

function classOf({ name }: LiveClass): { readonly class?: string } {
  return name === undefined ? {} : { class: name };
}

/** What has become of the requests of one class, or of several in sum. */
export function sumOfCounts(all: readonly ClassCounts[]) {
  const rejectedByReason: Partial<Record<Reason, number>> = {};
  let [admitted, rejected, shadowRejected] = [0, 0, 0];
  for (const counts of all) {
    admitted += counts.admitted;
    rejected += counts.rejected;
    shadowRejected += counts.shadowRejected;
    for (const [reason, count] of counts.rejectedByReason) {
      rejectedByReason[reason] = (rejectedByReason[reason] ?? 0) + count;
    }
  }
  return { admitted, rejected, rejectedByReason, shadowRejected };
}
