import { Counter, type CounterConfiguration } from "prom-client";
import type { Definition, FamilyOptions } from "./definition";
import { Series, type ValuesOf } from "./series";

/** What has been counted since the counter was read last. */
interface Pending {
  amount: number;
}

/** A counter of prom-client that says when it is reset. */
class ReadCounter extends Counter<string> {
  readonly #clear: () => void;

  constructor(config: CounterConfiguration<string>, clear: () => void) {
    super(config);
    this.#clear = clear;
  }

  override reset(): void {
    super.reset();
    // The constructor of the parent calls this before there is anything.
    if (#clear in this) this.#clear();
  }
}

/**
 * A counter whose cells are found without prom-client, and given to it when it is read: its own
 * look-up of labels costs more than everything else that happens at an event.
 */
export class CounterFamily<const L extends readonly string[]> {
  readonly metric: Counter<string>;
  readonly #series: Series<L, Pending>;

  /** `beforeRead` may count what has come up since the last time. */
  constructor(
    { name, help, labels }: Definition<L>,
    { prefix, maxSeries }: FamilyOptions,
    beforeRead: () => void = () => {},
  ) {
    const series = new Series(labels, (): Pending => ({ amount: 0 }), maxSeries);
    this.#series = series;
    const config: CounterConfiguration<string> = {
      name: prefix + name,
      help,
      labelNames: [...labels],
      registers: [],
      collect() {
        beforeRead();
        for (const { labels: own, cell } of series.all) {
          if (cell.amount === 0) continue;
          this.inc(own, cell.amount);
          cell.amount = 0;
        }
      },
    };
    this.metric = new ReadCounter(config, () => {
      for (const { cell } of series.all) cell.amount = 0;
    });
  }

  inc(...values: ValuesOf<L>): void {
    this.#series.at(...values).amount += 1;
  }

  /** `amount`: above 0; anything else is not counted. */
  add(amount: number, ...values: ValuesOf<L>): void {
    if (amount > 0) this.#series.at(...values).amount += amount;
  }
}
