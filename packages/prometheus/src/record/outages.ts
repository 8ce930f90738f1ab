import type { Clock } from "@sluice/core";
import type { CounterFamily } from "../metric/counter-family";
import type { Families } from "../metric/families";
import type { Reading } from "../metric/gauge-family";

const labels = ["limiter", "policy"] as const;

/** A store that is away now, and what of that time has been counted. */
interface Outage {
  readonly policy: string;
  readonly sinceMs: number;
  countedMs: number;
}

/** Follows which limiters are without their store, and for how long they have been in all. */
export class Outages {
  /** By limiter; several of one name may be away at once. */
  readonly #open = new Map<string, Outage[]>();
  readonly #clock: Clock;
  readonly #began: CounterFamily<typeof labels>;
  readonly #seconds: CounterFamily<typeof labels>;

  constructor(families: Families, clock: Clock) {
    this.#clock = clock;
    this.#began = families.counter({
      name: "store_outages_total",
      help: "How often a shared store was away, and a policy answered in its place.",
      labels,
    });
    this.#seconds = families.counter(
      {
        name: "store_unavailable_seconds_total",
        help: "How long a policy has answered in place of a store, the present outage included.",
        labels,
      },
      () => this.#countOpen(),
    );
    families.gauge(
      {
        name: "store_unavailable",
        help: "Limiters for which a policy answers now because their store is away.",
        labels,
        aggregator: "sum",
      },
      () => this.#readings(),
    );
  }

  began(limiter: string, policy: string): void {
    const open = this.#open.get(limiter) ?? [];
    open.push({ policy, sinceMs: this.#clock.nowMs(), countedMs: 0 });
    this.#open.set(limiter, open);
    this.#began.inc(limiter, policy);
  }

  ended(limiter: string, downMs: number): void {
    const open = this.#open.get(limiter) ?? [];
    const outage = ofLength(downMs, this.#clock.nowMs(), open);
    if (outage === undefined) return;
    open.splice(open.indexOf(outage), 1);
    this.#seconds.add((downMs - outage.countedMs) / 1000, limiter, outage.policy);
  }

  #countOpen(): void {
    const nowMs = this.#clock.nowMs();
    for (const [limiter, outages] of this.#open) {
      for (const outage of outages) {
        const downMs = nowMs - outage.sinceMs;
        this.#seconds.add((downMs - outage.countedMs) / 1000, limiter, outage.policy);
        outage.countedMs = downMs;
      }
    }
  }

  *#readings(): Iterable<Reading<typeof labels>> {
    for (const [limiter, outages] of this.#open) {
      for (const { policy } of outages) yield [1, limiter, policy];
    }
  }
}

/**
 * Of several outages that which has lasted for so long: the latest that is as old, or the first.
 */
function ofLength(downMs: number, nowMs: number, open: readonly Outage[]): Outage | undefined {
  return open.findLast(({ sinceMs }) => nowMs - sinceMs >= downMs) ?? open[0];
}
