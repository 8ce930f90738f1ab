import type { AdaptiveLimit, LimitAlgorithm, LimitSample } from "@sluice/core";
import type { SimulatedWorld } from "@sluice/testing";

/**
 * An algorithm without what `adaptiveLimit` puts around it: no floor and ceiling but its own, no
 * growth only with demand, no probe. As those that published it run it.
 */
export class BareLimit implements AdaptiveLimit {
  readonly #algorithm: LimitAlgorithm;
  readonly #world: SimulatedWorld;
  #isFull = false;

  constructor(algorithm: LimitAlgorithm, world: SimulatedWorld) {
    this.#algorithm = algorithm;
    this.#world = world;
  }

  get limit(): number {
    return Math.max(1, Math.floor(this.#algorithm.limit));
  }

  onSample({ latencyMs, inFlight, outcome }: LimitSample): void {
    if (outcome === "ignored") return;
    const nowMs = this.#world.clock.nowMs();
    const full = this.#isFull;
    this.#isFull = false;
    this.#algorithm.onSample({ nowMs, latencyMs, inFlight, dropped: outcome === "dropped", full });
  }

  onFull(): void {
    this.#isFull = true;
  }

  takeProbe(): boolean {
    return false;
  }

  onChange(): () => void {
    return () => {};
  }

  freeze(): void {}

  unfreeze(): void {}

  useStatic(): void {}
}
