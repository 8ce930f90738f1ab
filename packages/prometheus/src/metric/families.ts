import type { Metric } from "prom-client";
import { CounterFamily } from "./counter-family";
import type { Definition, FamilyOptions } from "./definition";
import { type Aggregator, GaugeFamily, type Reading } from "./gauge-family";
import { HistogramFamily } from "./histogram-family";

/** A metric under the name that it is registered with. */
export interface NamedMetric {
  readonly name: string;
  readonly metric: Metric;
}

/** Makes metrics, and keeps them to be registered together. */
export class Families {
  readonly metrics: NamedMetric[] = [];
  readonly #options: FamilyOptions;

  constructor(options: FamilyOptions) {
    this.#options = options;
  }

  counter<const L extends readonly string[]>(
    definition: Definition<L>,
    beforeRead?: () => void,
  ): CounterFamily<L> {
    const family = new CounterFamily(definition, this.#options, beforeRead);
    this.#keep(definition, family.metric);
    return family;
  }

  histogram<const L extends readonly string[]>(definition: Definition<L>): HistogramFamily<L> {
    const family = new HistogramFamily(definition, this.#options);
    this.#keep(definition, family.metric);
    return family;
  }

  gauge<const L extends readonly string[]>(
    definition: Definition<L> & { readonly aggregator: Aggregator },
    read: () => Iterable<Reading<L>>,
  ): void {
    this.#keep(definition, new GaugeFamily(definition, this.#options, read).metric);
  }

  #keep({ name }: { readonly name: string }, metric: Metric): void {
    this.metrics.push({ name: this.#options.prefix + name, metric });
  }
}
