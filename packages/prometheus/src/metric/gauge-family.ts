import { Gauge } from "prom-client";
import type { Definition, FamilyOptions } from "./definition";
import { Series, type ValuesOf } from "./series";

/** How the values of several processes become one, in prom-client's aggregator. */
export type Aggregator = "sum" | "average" | "max";

/** A number with the values of its labels, as it is when it is read. */
export type Reading<L extends readonly string[]> = readonly [number | undefined, ...ValuesOf<L>];

/**
 * A gauge that holds nothing: its values are read when it is. Readings with the same labels are
 * added up, `undefined` is left out.
 */
export class GaugeFamily<const L extends readonly string[]> {
  readonly metric: Gauge<string>;

  constructor(
    { name, help, labels, aggregator }: Definition<L> & { readonly aggregator: Aggregator },
    { prefix, maxSeries }: FamilyOptions,
    read: () => Iterable<Reading<L>>,
  ) {
    this.metric = new Gauge<string>({
      name: prefix + name,
      help,
      labelNames: [...labels],
      aggregator,
      registers: [],
      collect() {
        const series = new Series(labels, () => ({ value: 0 }), maxSeries);
        for (const [value, ...values] of read()) {
          if (value !== undefined) series.at(...(values as ValuesOf<L>)).value += value;
        }
        this.reset();
        for (const { labels: own, cell } of series.all) this.set(own, cell.value);
      },
    });
  }
}
