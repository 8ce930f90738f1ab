import type { Milliseconds, Random } from "@sluice/core";

/** How long something takes, as plain data. All times are milliseconds, more than 0. */
export type Distribution =
  | { readonly kind: "constant"; readonly meanMs: Milliseconds }
  /** Even between mean x (1 - spread) and mean x (1 + spread); `spread` is 0 to 1. */
  | { readonly kind: "uniform"; readonly meanMs: Milliseconds; readonly spread: number }
  | { readonly kind: "exponential"; readonly meanMs: Milliseconds }
  /** `sigma` is the deviation of the logarithm: 0.5 is mild, 1 has a long tail. */
  | { readonly kind: "lognormal"; readonly meanMs: Milliseconds; readonly sigma: number }
  /** Two kinds of work: a share of `slowShare` (0 to 1) takes `slowMs`, the rest `fastMs`. */
  | {
      readonly kind: "bimodal";
      readonly fastMs: Milliseconds;
      readonly slowMs: Milliseconds;
      readonly slowShare: number;
    };

/** What draws one time after the other. */
export type Draw = () => Milliseconds;

/** Draws times of a distribution by the numbers of `random`. */
export function drawOf(distribution: Distribution, random: Random): Draw {
  switch (distribution.kind) {
    case "constant":
      return () => distribution.meanMs;
    case "uniform": {
      const { meanMs, spread } = distribution;
      return () => meanMs * (1 + spread * (2 * random.next() - 1));
    }
    case "exponential":
      return () => distribution.meanMs * exponential(random);
    case "lognormal": {
      const { meanMs, sigma } = distribution;
      // The mean of a lognormal time is e^(mu + sigma^2 / 2).
      const mu = Math.log(meanMs) - (sigma * sigma) / 2;
      return () => Math.exp(mu + sigma * normal(random));
    }
    case "bimodal": {
      const { fastMs, slowMs, slowShare } = distribution;
      return () => (random.next() < slowShare ? slowMs : fastMs);
    }
  }
}

/** The mean of a distribution. */
export function meanOf(distribution: Distribution): Milliseconds {
  if (distribution.kind !== "bimodal") return distribution.meanMs;
  const { fastMs, slowMs, slowShare } = distribution;
  return fastMs * (1 - slowShare) + slowMs * slowShare;
}

/** An exponential number of mean 1. `next` is below 1, so the logarithm is finite. */
export function exponential(random: Random): number {
  return -Math.log(1 - random.next());
}

/** A standard normal number (Box and Muller, 1958; the second one of each pair is not used). */
function normal(random: Random): number {
  const radius = Math.sqrt(2 * exponential(random));
  return radius * Math.cos(2 * Math.PI * random.next());
}
