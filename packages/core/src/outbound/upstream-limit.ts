import type { AdaptiveLimit, LimitSample } from "../adaptive/adaptive-limit";
import type { Clock } from "../clock/clock";
import type { Milliseconds } from "../limit/limit";

/**
 * The adaptive limit of an upstream, as its gate sees it: the limit that was given, which does not
 * grow for a while after the upstream has said that it gets too much, and whose samples leave out
 * what a call waited for a slot of the parent.
 *
 * A provider's rate limit is not felt as latency: the calls that it lets in are as quick as ever,
 * and an estimate from latencies would climb back into it within seconds. During a hold the limit
 * is the smallest that the estimate has said since the hold began. The estimate goes on, but is not
 * told that there is demand for more, so that it does not grow unseen either.
 */
export class UpstreamLimit implements AdaptiveLimit {
  readonly #inner: AdaptiveLimit;
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  readonly #stopListening: () => void;
  #holdUntilMs = Number.NEGATIVE_INFINITY;
  #ceiling = Number.POSITIVE_INFINITY;
  #cancelHold: (() => void) | undefined;
  #leaveOutMs = 0;

  constructor(inner: AdaptiveLimit, clock: Clock) {
    this.#inner = inner;
    this.#clock = clock;
    this.#stopListening = inner.onChange(() => this.#onInnerChange());
  }

  get limit(): number {
    return Math.min(this.#inner.limit, this.#ceiling);
  }

  get baselineMs(): Milliseconds | undefined {
    return this.#inner.baselineMs;
  }

  get gradient(): number | undefined {
    return this.#inner.gradient;
  }

  /**
   * Keeps the limit from growing for `durationMs` from now. A later end replaces an earlier one.
   */
  holdGrowth(durationMs: Milliseconds): void {
    this.#holdUntilMs = Math.max(this.#holdUntilMs, this.#clock.nowMs() + durationMs);
    this.#ceiling = this.limit;
    this.#armHold();
  }

  /** Runs `report`; samples that it gives say nothing of `durationMs` of their latency. */
  leavingOut(durationMs: Milliseconds, report: () => void): void {
    this.#leaveOutMs = durationMs;
    try {
      report();
    } finally {
      this.#leaveOutMs = 0;
    }
  }

  onSample(sample: LimitSample): void {
    const latencyMs = Math.max(0, sample.latencyMs - this.#leaveOutMs);
    this.#inner.onSample(this.#leaveOutMs === 0 ? sample : { ...sample, latencyMs });
  }

  onFull(): void {
    if (this.#ceiling === Number.POSITIVE_INFINITY) this.#inner.onFull();
  }

  takeProbe(): boolean {
    return this.#inner.takeProbe();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  freeze(): void {
    this.#inner.freeze();
  }

  unfreeze(): void {
    this.#inner.unfreeze();
  }

  useStatic(limit: number): void {
    this.#endHold();
    this.#inner.useStatic(limit);
  }

  /** Ends its timer and lets the inner limit go. */
  close(): void {
    this.#cancelHold?.();
    this.#stopListening();
    this.#listeners.clear();
  }

  #onInnerChange(): void {
    if (this.#ceiling !== Number.POSITIVE_INFINITY) this.#ceiling = this.limit;
    this.#tellListeners();
  }

  #armHold(): void {
    if (this.#cancelHold !== undefined) return;
    const leftMs = this.#holdUntilMs - this.#clock.nowMs();
    this.#cancelHold = this.#clock.after(leftMs, () => {
      this.#cancelHold = undefined;
      if (this.#clock.nowMs() < this.#holdUntilMs) this.#armHold();
      else this.#endHold();
    });
  }

  #endHold(): void {
    this.#cancelHold?.();
    this.#cancelHold = undefined;
    const before = this.limit;
    this.#ceiling = Number.POSITIVE_INFINITY;
    if (this.limit !== before) this.#tellListeners();
  }

  #tellListeners(): void {
    for (const listener of this.#listeners) listener();
  }
}
