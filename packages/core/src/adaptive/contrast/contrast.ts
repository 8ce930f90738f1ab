import type { Milliseconds } from "../../limit/limit";
import type { Random } from "../../random/random";
import type { AlgorithmReason, AlgorithmSample, LimitAlgorithm } from "../limit-algorithm";
import { ContrastWindow } from "./contrast-window";
import { DIP_SHARE, Dip, type DipFinding } from "./dip";
import { LatencyMoments } from "./latency-moments";
import { Spread, trustAt } from "./spread";
import { hasChanged, type SeenNear, type TrustedQueue } from "./trusted-queue";
import { CLOCK_MS, UnqueuedLatency } from "./unqueued-latency";

/** The queue that is wanted: so much of the latency without a queue, when that is as usual. */
const QUEUE_SHARE = 0.4;
/** And so many times the root of what is busy, since bursts of n are √n. */
const BURST_ROOM = 0.5;
/** With less than this part of the limit in flight on average, who found no room was in a burst. */
const BURST_SHARE = 0.7;
/** For bursts the limit goes up to so many times what is busy, */
const BURST_RATIO = 1.6;
/** and so many deviations of that. */
const BURST_DEVIATIONS = 2.6;
/** Fewer dropped than this share are bad luck. */
const LOSS_SHARE = 0.05;
/** An unqueued latency that nothing has confirmed for so long is measured again, ± a quarter. */
const CONFIRM_MS = 20_000;

/**
 * The estimate of the default: it contrasts latency near the limit with latency well below it. See
 * `docs/reference/adaptive/default.md` for the derivation.
 *
 * In a window with demand for more it grows while latency does not differ, and moves to where the
 * queue is 0.4 of the unqueued latency when it does. It shrinks on fresh evidence only: either both
 * latencies come from the same time, or a dip has measured the lower one. Losses come first.
 */
export class Contrast implements LimitAlgorithm {
  readonly name = "contrast";
  readonly usesDrops = true;
  readonly #random: Random;
  readonly #window = new ContrastWindow();
  readonly #low = new LatencyMoments();
  readonly #spread = new Spread();
  readonly #unqueued = new UnqueuedLatency();
  readonly #dip = new Dip();
  #reason: AlgorithmReason = "initial";
  /** The estimate outside of dips. */
  #steady: number;
  /** The estimate when losses began; below half of it nothing is new, and growth is fast. */
  #beforeLoss = 0;
  /** Windows in a row that let it grow, and the samples in them. */
  #growths = 0;
  #grownBy = 0;
  #trusted: TrustedQueue | undefined;
  #dipNotBeforeMs = Number.NEGATIVE_INFINITY;
  /** The same for a dip that a change calls for. */
  #changeNotBeforeMs = Number.NEGATIVE_INFINITY;
  #confirmAfterMs = CONFIRM_MS;
  #gradient: number | undefined;

  constructor({ initial, random }: { readonly initial: number; readonly random: Random }) {
    this.#steady = initial;
    this.#random = random;
  }

  get limit(): number {
    return this.#dip.isDown ? this.#lowLimit : this.#steady;
  }

  /** What is left of the limit in a dip; requests that start with as few in flight are low. */
  get #lowLimit(): number {
    return Math.max(1, Math.floor(this.#steady * DIP_SHARE));
  }

  get reason(): AlgorithmReason {
    return this.#reason;
  }

  get baselineMs(): Milliseconds | undefined {
    return this.#unqueued.ms;
  }

  get gradient(): number | undefined {
    return this.#gradient;
  }

  hold(limit: number): void {
    this.#steady = this.#dip.isDown ? limit / DIP_SHARE : limit;
  }

  onSample(sample: AlgorithmSample): void {
    const { nowMs } = sample;
    const window = this.#window;
    window.add(sample, this.#steady);
    if (!sample.dropped && sample.inFlight <= this.#lowLimit) {
      if (!this.#dip.takes(sample)) this.#low.add(sample.latencyMs, sample.inFlight, nowMs);
    }
    if (window.isOutage(this.#steady)) this.#lose(nowMs);
    if (this.#dip.isUnderWay) this.#followDip(nowMs);
    // The first window is longer: it begins with the short ones of those that started together.
    const latencies = this.#unqueued.ms === undefined ? 3 : 1.5;
    if (window.isOver(nowMs, this.#steady, latencies)) this.#judge(nowMs);
  }

  #followDip(nowMs: Milliseconds): void {
    if (this.#dip.comesUp(nowMs)) this.#reason = "measured";
    const finding = this.#dip.finding(nowMs, this.#spread);
    if (finding !== undefined) this.#takeFinding(nowMs, finding);
  }

  #takeFinding(nowMs: Milliseconds, { low, near, queue, lengthMs }: DipFinding): void {
    this.#unqueued.learn(low, { nowMs, spread: this.#spread, measured: true });
    this.#unqueued.confirmedAtMs = nowMs;
    this.#trusted = { ...near, limit: this.#steady };
    // A dip below the capacity costs a fifth of it, so it may take a fifteenth of the time; one
    // above it costs nothing, and there is further to go.
    const [least, lengths] = { none: [5, 15], unclear: [3, 6], queue: [2, 2] }[queue] as [
      number,
      number,
    ];
    this.#dipNotBeforeMs = nowMs + Math.max(least * 1000, lengths * lengthMs);
    this.#changeNotBeforeMs = nowMs + Math.max(2000, 4 * lengthMs);
    this.#confirmAfterMs = queue === "none" ? CONFIRM_MS * (0.75 + this.#random.next() / 2) : 0;
    if (queue === "queue") {
      this.#steady = Math.max(1, this.#steady * DIP_SHARE * (1 + QUEUE_SHARE));
      this.#reason = "queueing";
    }
    this.#window.restart(nowMs);
  }

  /** Starts a dip unless the last one was too lately. Whether one is under way now. */
  #startDip(nowMs: Milliseconds): boolean {
    if (this.#dip.isUnderWay) return true;
    if (this.#steady < 2 || nowMs < this.#dipNotBeforeMs) return false;
    this.#dip.start(nowMs, this.#window.near, this.#spread);
    this.#low.clear();
    this.#reason = "measuring";
    return true;
  }

  #lose(nowMs: Milliseconds): void {
    const { lossShare, servedUpTo, hasServed } = this.#window;
    if (this.#reason !== "loss") this.#beforeLoss = this.#steady;
    let next = this.#steady * (1 - Math.min(1, Math.max(0.2, lossShare)) / 2);
    // Where everything up to a number is served and nothing above it, that is the capacity.
    if (servedUpTo !== undefined) next = Math.max(next, Math.min(this.#steady, servedUpTo));
    // Each round of an outage lasts a time-out, so it goes to the floor in few of them.
    if (!hasServed) next = 0.3 * this.#steady - 0.5;
    this.#steady = Math.max(1, next);
    this.#reason = "loss";
    this.#growths = 0;
    this.#dip.abandon();
    this.#window.forgiveLosses(nowMs);
    this.#window.restart(nowMs);
  }

  #judge(nowMs: Milliseconds): void {
    const window = this.#window;
    if (window.lossShare > LOSS_SHARE) {
      this.#lose(nowMs);
      return;
    }
    // A window with a dip in it is not like others; it goes on until the dip is over.
    if (this.#dip.isDown) return;
    if (window.all.count >= 3) {
      const paired = this.#learnLow(nowMs);
      this.#spread.add(window.all);
      if (!this.#isReady(nowMs)) return;
      this.#gradient = this.#unqueued.ratioTo(window.all);
      this.#move(nowMs, paired);
    }
    window.restart(nowMs);
  }

  /** Whether the unqueued latency is known; else the window goes on. */
  #isReady(nowMs: Milliseconds): boolean {
    if (this.#unqueued.ms !== undefined) return true;
    const { all } = this.#window;
    const ageMs = this.#window.ageMs(nowMs);
    const isEnough = ageMs >= 2000 && all.count >= this.#spread.samplesNeeded;
    if (!isEnough && ageMs < 10_000) return false;
    this.#unqueued.begin(all.meanMs, nowMs);
    this.#low.clear();
    return true;
  }

  /** Takes what was seen low. Whether that is as fresh as what was seen near the limit. */
  #learnLow(nowMs: Milliseconds): boolean {
    const low = this.#low;
    if (low.count < Math.max(5, Math.min(60, 60 * this.#spread.variance))) return false;
    const apartMs = Math.abs(low.meanEndMs - this.#window.near.meanEndMs);
    if (this.#unqueued.ms !== undefined) {
      this.#unqueued.learn(low, { nowMs, spread: this.#spread, measured: false });
      low.clear();
    }
    return apartMs < 0.35 * this.#window.ageMs(nowMs);
  }

  #move(nowMs: Milliseconds, paired: boolean): void {
    const { all, near } = this.#window;
    const demand = this.#window.hasDemand(this.#steady);
    const mayGrow = !this.#unqueued.isFarFromUsual;
    if (demand && mayGrow && this.#unqueued.isSeenIn(all, this.#spread)) this.#grow(all);
    else if (mayGrow && this.#isBurst(all)) {
      if (demand) this.#growForBursts();
    } else {
      this.#growths = 0;
      if (near.count >= 5 && !this.#dip.isUnderWay) this.#approach(nowMs, { paired, demand });
    }
  }

  /**
   * Whether the limit was reached in bursts only: a load just below the capacity queues at times,
   * and refusing then would lose what fits.
   */
  #isBurst(all: LatencyMoments): boolean {
    const limit = this.#steady;
    if (all.meanInFlight >= BURST_SHARE * limit) return false;
    const busy = this.#unqueued.busyOf(all);
    // Arrivals scatter by the root of their number, and what waits by the spread of latencies too.
    const deviation = Math.sqrt(busy * (1 + this.#spread.variance));
    return limit < BURST_RATIO * busy + BURST_DEVIATIONS * deviation;
  }

  #growForBursts(): void {
    this.#steady += Math.max(1, Math.sqrt(this.#steady) / 2);
    this.#reason = "headroom";
    this.#growths = 0;
  }

  /** Grows: to the target, by √L/2 at least; twofold after two good windows, or after a loss. */
  #grow(all: LatencyMoments): void {
    const limit = this.#steady;
    // In a lull of an overload it is not the limit that has grown but the load that is less.
    const isUsed = this.#unqueued.busyOf(all) >= 0.65 * limit;
    this.#grownBy = this.#growths === 0 ? all.count : this.#grownBy + all.count;
    const error = this.#spread.errorOf(this.#grownBy);
    const isSure = this.#growths >= 2 && isUsed && error < 0.12;
    const isKnown = isSure || limit < this.#beforeLoss / 2;
    const least = Math.max(limit + Math.sqrt(limit) / 2, limit + 1, isKnown ? 2 * limit : 0);
    const next = Math.min(2 * limit + 1, Math.max(least, this.#target(all)));
    this.#steady = limit + trustAt(error) * (next - limit);
    this.#reason = "headroom";
    this.#growths += 1;
  }

  /** Moves to where the queue is as wanted; down only if the unqueued latency can be trusted. */
  #approach(nowMs: Milliseconds, { paired, demand }: { paired: boolean; demand: boolean }): void {
    const { near } = this.#window;
    const limit = this.#steady;
    const isFar = this.#unqueued.isFarFromUsual;
    const target = isFar ? Math.min(this.#target(near), 0.8 * limit) : this.#target(near);
    const isStale = this.#isStale(nowMs);
    const seen = { slotMs: near.meanMs / near.meanInFlight, count: near.count };
    if (target < limit && !this.#mayShrink(nowMs, seen, paired)) return;
    if (paired) this.#trusted = { ...seen, limit };
    const trust = trustAt(this.#spread.errorOf(near.count)) / 2;
    if (target < limit) {
      this.#steady = Math.max(1, limit + trust * (target - limit));
      this.#reason = "queueing";
    } else if (demand) {
      this.#steady = limit + trust * (Math.min(target, 1.5 * limit) - limit);
      this.#reason = "headroom";
      if (isStale) this.#startDip(nowMs);
    }
  }

  #isStale(nowMs: Milliseconds): boolean {
    return nowMs - this.#unqueued.confirmedAtMs > this.#confirmAfterMs;
  }

  /** Whether there is fresh evidence for a queue. If not, a dip is to find some, if it may. */
  #mayShrink(nowMs: Milliseconds, seen: SeenNear, paired: boolean): boolean {
    const trusted = this.#trusted;
    if (trusted !== undefined && hasChanged(seen, trusted, this.#spread)) {
      // Nothing shrinks on what is known of another server: a dip is to look at this one.
      if (nowMs >= this.#changeNotBeforeMs) this.#dipNotBeforeMs = nowMs;
      this.#startDip(nowMs);
      return this.#steady < 2;
    }
    const isFar = trusted !== undefined && this.#steady < 0.6 * trusted.limit;
    if (paired || !(trusted === undefined || isFar || this.#isStale(nowMs))) return true;
    this.#trusted ??= { ...seen, limit: 0 };
    return !this.#startDip(nowMs);
  }

  /**
   * The limit at which these samples would show the queue that is wanted. Of n in flight with a
   * latency of r, n × unqueued / r are busy (Little's law); the rest waits.
   */
  #target({ meanMs, meanInFlight }: Pick<LatencyMoments, "meanMs" | "meanInFlight">): number {
    const unqueuedMs = this.#unqueued.ms ?? 0;
    const ratio = 1 + QUEUE_SHARE * this.#unqueued.tolerance;
    const wanted = Math.min(ratio, (ratio * unqueuedMs + CLOCK_MS) / Math.max(meanMs, 1e-9));
    return (
      meanInFlight * wanted +
      BURST_ROOM * Math.sqrt(this.#unqueued.busyOf({ meanMs, meanInFlight }))
    );
  }
}
