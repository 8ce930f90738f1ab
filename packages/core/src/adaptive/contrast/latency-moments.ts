/**
 * Count, mean and spread of latencies, in constant memory, with the mean number in flight when they
 * started and the mean instant at which they ended.
 *
 * Means, not medians: by Little's law the mean latency of a saturated server is the number in
 * flight divided by its throughput, whatever the distribution of its service time; and the mean of
 * whole milliseconds is right where their median is not.
 */
export class LatencyMoments {
  count = 0;
  meanMs = 0;
  meanInFlight = 0;
  meanEndMs = 0;
  /** The sum of squared distances from the mean (Welford). */
  #squares = 0;

  add(latencyMs: number, inFlight: number, endMs: number): void {
    this.count += 1;
    // One division: every request passes here, two or three times.
    const weight = 1 / this.count;
    const distance = latencyMs - this.meanMs;
    this.meanMs += distance * weight;
    this.#squares += distance * (latencyMs - this.meanMs);
    this.meanInFlight += (inFlight - this.meanInFlight) * weight;
    this.meanEndMs += (endMs - this.meanEndMs) * weight;
  }

  /** Variance / mean², with 1 ms for a smaller mean; 1, as of an exponential, for one sample. */
  get relativeVariance(): number {
    if (this.count < 2) return 1;
    const mean = Math.max(this.meanMs, 1);
    return this.#squares / this.count / (mean * mean);
  }

  clear(): void {
    this.count = 0;
    this.meanMs = 0;
    this.meanInFlight = 0;
    this.meanEndMs = 0;
    this.#squares = 0;
  }
}
