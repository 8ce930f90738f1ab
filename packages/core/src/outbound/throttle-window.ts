import type { Milliseconds } from "../limit/limit";
import { type CallCounts, throttleProbability } from "./throttle-probability";

/** Parts of the window. What is older than a window goes away one part at a time. */
const STEPS = 30;

/** What the window of a throttle goes by; explained at `ThrottleSettings`. */
export interface WindowSettings {
  readonly windowMs: Milliseconds;
  readonly k: number;
  readonly minRequests: number;
}

/** What can become of a call: accepted by the upstream, sent in vain, or not sent at all. */
export type CallFate = "accepted" | "dropped" | "refused";

/**
 * The calls of the last window, in 30 steps. A step is forgotten as a whole, so the window is
 * between 29 and 30 steps long, and steps are forgotten when the window is read, too: a client that
 * was refused everything recovers without a call that would have to pass first. A fixed amount of
 * memory; amortized O(1).
 *
 * **Recovery.** By the formula alone the next rate is k times the mean rate accepted in the window.
 * After an outage in which only probes passed that takes several windows: with k = 2 it grows by
 * 4.9 per window, since r(t) = k * mean of r over W has the solution e^(st) with sW = 1.59. So the
 * probability is also scaled by 1 - (w / 30)^2, where w counts the steps in a row that worked:
 * after 30 of them, one window, nothing is refused. A step worked if of the calls that were sent in
 * it at most half of the tolerable share 1 - 1/k was dropped; one without a sent call is passed
 * over. In the steady state of the formula the whole tolerable share is dropped in every step: w is
 * 0, and nothing changes. The square keeps a few steps that worked by chance from mattering.
 */
export class ThrottleWindow {
  readonly #k: number;
  readonly #minRequests: number;
  readonly #stepMs: number;
  readonly #droppedShareMax: number;
  readonly #requests = new Array<number>(STEPS).fill(0);
  readonly #accepts = new Array<number>(STEPS).fill(0);
  #requestsSum = 0;
  #acceptsSum = 0;
  /** The number of the newest step, counted from instant 0. */
  #step: number;
  /** Calls of the newest step that were sent, and those of them that were dropped. */
  #sent = 0;
  #dropped = 0;
  /** Working steps in a row, the newest step left out. */
  #working = 0;

  constructor({ windowMs, k, minRequests }: WindowSettings, nowMs: Milliseconds) {
    this.#k = k;
    this.#minRequests = minRequests;
    this.#stepMs = windowMs / STEPS;
    this.#droppedShareMax = (1 - 1 / k) / 2;
    this.#step = Math.floor(nowMs / this.#stepMs);
  }

  add(fate: CallFate, nowMs: Milliseconds): void {
    this.#moveTo(nowMs);
    const place = this.#step % STEPS;
    this.#requests[place] = (this.#requests[place] as number) + 1;
    this.#requestsSum += 1;
    if (fate === "refused") return;
    this.#sent += 1;
    if (fate === "dropped") {
      this.#dropped += 1;
      return;
    }
    this.#accepts[place] = (this.#accepts[place] as number) + 1;
    this.#acceptsSum += 1;
  }

  countsAt(nowMs: Milliseconds): CallCounts {
    this.#moveTo(nowMs);
    return { requests: this.#requestsSum, accepts: this.#acceptsSum };
  }

  /** The probability with which the next call is to be refused. */
  probabilityAt(nowMs: Milliseconds): number {
    const counts = this.countsAt(nowMs);
    if (counts.requests < this.#minRequests) return 0;
    const probability = throttleProbability(counts, this.#k);
    // The newest step can end a row at once, but not prolong it before it is over.
    const working = this.#isFailing() ? 0 : this.#working;
    return probability * (1 - (working / STEPS) ** 2);
  }

  /** Whether more of the newest step was dropped than a step that works may show. */
  #isFailing(): boolean {
    return this.#dropped > this.#sent * this.#droppedShareMax;
  }

  #moveTo(nowMs: Milliseconds): void {
    const step = Math.floor(nowMs / this.#stepMs);
    if (step <= this.#step) return;
    if (this.#isFailing()) this.#working = 0;
    else if (this.#sent > 0) this.#working = Math.min(STEPS, this.#working + 1);
    this.#sent = 0;
    this.#dropped = 0;
    // A whole window of steps is all there is to forget, however long nobody looked.
    for (let next = Math.max(this.#step + 1, step - STEPS + 1); next <= step; next += 1) {
      const place = next % STEPS;
      this.#requestsSum -= this.#requests[place] as number;
      this.#acceptsSum -= this.#accepts[place] as number;
      this.#requests[place] = 0;
      this.#accepts[place] = 0;
    }
    this.#step = step;
  }
}
