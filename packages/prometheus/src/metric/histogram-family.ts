import {
  Histogram,
  type HistogramConfiguration,
  type MetricObjectWithValues,
  type MetricValueWithName,
} from "prom-client";
import type { Definition, FamilyOptions } from "./definition";
import { Series, type ValuesOf } from "./series";

/** How many values were at most each bound (and above all), not summed up. */
interface Times {
  readonly counts: number[];
  sum: number;
  count: number;
}

type ReadValues = MetricObjectWithValues<MetricValueWithName<string>>;
type Config = HistogramConfiguration<string>;

/** A histogram of prom-client whose values are kept by somebody else. */
class ReadHistogram extends Histogram<string> {
  readonly #config: Config;
  readonly #read: () => MetricValueWithName<string>[];
  readonly #clear: () => void;

  constructor(config: Config, read: () => MetricValueWithName<string>[], clear: () => void) {
    super(config);
    this.#config = config;
    this.#read = read;
    this.#clear = clear;
  }

  override async get(): Promise<ReadValues> {
    const { name, help } = this.#config;
    const read = { name, help, type: "histogram", aggregator: "sum", values: this.#read() };
    // The types of prom-client have numbers for kinds of metrics; it writes and compares texts.
    return read as unknown as ReadValues;
  }

  /** What a registry asks for to write text; the same here. */
  getForPromString(): Promise<ReadValues> {
    return this.get();
  }

  override reset(): void {
    super.reset();
    // The constructor of the parent calls this before there is anything.
    if (#clear in this) this.#clear();
  }
}

/** A histogram of times in seconds, told in milliseconds. Its cells are its own, as counters'. */
export class HistogramFamily<const L extends readonly string[]> {
  readonly metric: Histogram<string>;
  readonly #boundsMs: readonly number[];
  readonly #series: Series<L, Times>;

  constructor(definition: Definition<L>, { prefix, maxSeries, buckets }: FamilyOptions) {
    const { help, labels } = definition;
    const name = prefix + definition.name;
    this.#boundsMs = buckets.map((seconds) => seconds * 1000);
    const makeCell = (): Times => ({
      counts: new Array<number>(buckets.length + 1).fill(0),
      sum: 0,
      count: 0,
    });
    const series = new Series(labels, makeCell, maxSeries);
    this.#series = series;
    this.metric = new ReadHistogram(
      { name, help, labelNames: [...labels], buckets: [...buckets], registers: [] },
      () => series.all.flatMap(({ labels: own, cell }) => valuesOf(name, own, cell, buckets)),
      () => {
        for (const { cell } of series.all) clear(cell);
      },
    );
  }

  observe(ms: number, ...values: ValuesOf<L>): void {
    const cell = this.#series.at(...values);
    const bounds = this.#boundsMs;
    let index = 0;
    while (index < bounds.length && ms > (bounds[index] as number)) index += 1;
    cell.counts[index] = (cell.counts[index] ?? 0) + 1;
    cell.sum += ms;
    cell.count += 1;
  }
}

function clear(cell: Times): void {
  cell.counts.fill(0);
  cell.sum = 0;
  cell.count = 0;
}

function valuesOf(
  name: string,
  labels: Readonly<Record<string, string>>,
  cell: Times,
  buckets: readonly number[],
): MetricValueWithName<string>[] {
  let upTo = 0;
  const inBuckets = buckets.map((le, index) => {
    upTo += cell.counts[index] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: upTo };
  });
  return [
    ...inBuckets,
    { metricName: `${name}_bucket`, labels: { le: "+Inf", ...labels }, value: cell.count },
    { metricName: `${name}_sum`, labels: { ...labels }, value: cell.sum / 1000 },
    { metricName: `${name}_count`, labels: { ...labels }, value: cell.count },
  ];
}
