import { dropRejection, record } from "../event/recorder";
import type { Milliseconds } from "../limit/limit";
import type { LimitStatus, Reason } from "../verdict/verdict";
import type { GateRejected } from "./gate";
import type { GateConfig } from "./gate-options";
import type { SlotEnd } from "./gate-permit";

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
  readonly #rejectedByReason = new Map<Reason, number>();
  #admitted = 0;
  #rejected = 0;
  #shadowRejected = 0;

  constructor(config: GateConfig) {
    this.#config = config;
  }

  /** Notes that a request was let in; `unenforced` is the refusal that it escaped, if any. */
  admitted(waitedMs: Milliseconds, unenforced: Refusal | undefined): void {
    this.#admitted += 1;
    if (unenforced !== undefined) this.#shadowRejected += 1;
    const { recorder, name } = this.#config;
    // Every request passes here, so events are only made for somebody.
    if (recorder === undefined) return;
    if (unenforced !== undefined) this.#recordRejection(unenforced, true);
    const shadow = unenforced !== undefined;
    record(recorder, { type: "gate_admitted", gate: name, waitedMs, shadow });
  }

  ended({ heldMs, outcome, firstByteMs }: SlotEnd): void {
    const { recorder, name } = this.#config;
    if (recorder === undefined) return;
    const event = { type: "gate_ended", gate: name, outcome, heldMs } as const;
    record(recorder, firstByteMs === undefined ? event : { ...event, firstByteMs });
  }

  /** Notes a refusal, lets `onReject` add to it, and returns its verdict. */
  rejected(refusal: Refusal): GateRejected {
    const { reason, inFlight, queued } = refusal;
    this.#rejected += 1;
    this.#rejectedByReason.set(reason, (this.#rejectedByReason.get(reason) ?? 0) + 1);
    this.#recordRejection(refusal, false);
    const { retryAfterMs } = this.#config;
    const rejection = { reason, retryAfterMs, retryable: true, violated: noStatuses };
    const verdict = { admitted: false, rejection, statuses: noStatuses, inFlight, queued } as const;
    const degraded = this.#degraded(verdict);
    return degraded === undefined ? verdict : { ...verdict, degraded };
  }

  counts() {
    return {
      admitted: this.#admitted,
      rejected: this.#rejected,
      rejectedByReason: Object.fromEntries(this.#rejectedByReason),
      shadowRejected: this.#shadowRejected,
    };
  }

  #recordRejection(refusal: Refusal, shadow: boolean): void {
    const { recorder, name } = this.#config;
    if (recorder === undefined) return;
    record(recorder, { type: "gate_rejected", gate: name, shadow, ...refusal });
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
