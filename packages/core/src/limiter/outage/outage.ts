import type { CancelTimer, Clock } from "../../clock/clock";
import { StoreError } from "../../error/store-error";
import { type Recorder, record } from "../../event/recorder";
import type { Milliseconds } from "../../limit/limit";
import type { StoreUnavailablePolicy } from "../limiter-options";

/**
 * How long a store has to go without a failure to count as back: however its calls fail and succeed
 * in turn, there is at most one pair of events in this time.
 */
const QUIET_MS = 1000;

/**
 * Whether a failure means that the store is away. A store that is full or was closed is not: no
 * policy answers in its place.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof StoreError)) return true;
  return error.code !== "SLUICE_STORE_FULL" && error.code !== "SLUICE_STORE_CLOSED";
}

/**
 * Follows whether the store is away, and reports each change once however many calls see it. It
 * decides nothing: every command is tried at the store first, whose own breaker makes that cheap.
 */
export class Outage {
  readonly #clock: Clock;
  readonly #recorder: Recorder | undefined;
  readonly #policy: StoreUnavailablePolicy;
  #sinceMs: Milliseconds | undefined;
  #failures = 0;
  #cancel: CancelTimer | undefined;

  constructor(clock: Clock, recorder: Recorder | undefined, policy: StoreUnavailablePolicy) {
    this.#clock = clock;
    this.#recorder = recorder;
    this.#policy = policy;
  }

  failed(operation: string, error: unknown): void {
    this.#failures += 1;
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#sinceMs !== undefined) return;
    this.#sinceMs = this.#clock.nowMs();
    const policy = this.#policy;
    record(this.#recorder, { type: "store_unavailable", policy, operation, error });
  }

  succeeded(): void {
    if (this.#sinceMs === undefined || this.#cancel !== undefined) return;
    const downMs = this.#clock.nowMs() - this.#sinceMs;
    this.#cancel = this.#clock.after(QUIET_MS, () => this.#end(downMs));
  }

  /** Gives up the timer. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #end(downMs: Milliseconds): void {
    const failures = this.#failures;
    this.#cancel = undefined;
    this.#sinceMs = undefined;
    this.#failures = 0;
    record(this.#recorder, { type: "store_recovered", downMs, failures });
  }
}
