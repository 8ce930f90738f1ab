import parse, { type ParsedFamily } from "parse-prometheus-text-format";
import type { Registry } from "prom-client";

/** Numbers by series: `gate_queued{class="none",gate="front"}`, labels by alphabet. */
export type Scrape = ReadonlyMap<string, number>;

/** What a registry would answer, without the prefix of the names. */
export async function scrape(registry: Registry, prefix = "sluice_"): Promise<Scrape> {
  return seriesOf(await registry.metrics(), prefix);
}

export function familiesIn(text: string): readonly ParsedFamily[] {
  return parse(text);
}

/**
 * The parser loses the labels of histograms, so it reads samples without what says their type; what
 * they are is read by `familiesIn`.
 */
export function seriesOf(text: string, prefix = "sluice_"): Scrape {
  const series = new Map<string, number>();
  for (const { name: full, metrics } of parse(text.replace(/^#.*\n/gm, ""))) {
    const name = full.startsWith(prefix) ? full.slice(prefix.length) : full;
    for (const { labels = {}, value } of metrics) {
      const pairs = Object.keys(labels)
        .sort()
        .map((label) => `${label}="${labels[label]}"`);
      const key = pairs.length === 0 ? name : `${name}{${pairs.join(",")}}`;
      if (series.has(key)) throw new Error(`${key} is there twice`);
      series.set(key, Number(value));
    }
  }
  return series;
}

/** The series of one metric, with their numbers. */
export function ofMetric(series: Scrape, metric: string): Readonly<Record<string, number>> {
  const found = [...series].filter(([key]) => key === metric || key.startsWith(`${metric}{`));
  return Object.fromEntries(found.map(([key, value]) => [key.slice(metric.length), value]));
}
