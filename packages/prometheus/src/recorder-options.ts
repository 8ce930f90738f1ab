import { type Clock, OptionsReader, Problems, systemClock } from "@sluice/core";
import { type Registry, type RegistryContentType, register } from "prom-client";

/** A registry of prom-client, of either content type. */
export type MetricsRegistry = Pick<
  Registry<RegistryContentType>,
  "registerMetric" | "getSingleMetric"
>;

/** What {@link prometheusRecorder} takes. All are optional. */
export interface PrometheusRecorderOptions {
  /**
   * Where the metrics are registered.
   *
   * @defaultValue the global registry of prom-client
   */
  readonly registry?: MetricsRegistry;
  /**
   * What all names begin with: a letter or `_`, then up to 63 of `[A-Za-z0-9_]`.
   *
   * @defaultValue `"sluice_"`
   */
  readonly prefix?: string;
  /**
   * Upper bounds of the buckets of all times, in seconds: 1 to 64 numbers above 0 that grow. More
   * buckets tell times apart better, and each is one more series of every histogram.
   *
   * @defaultValue from 1 ms to 5 minutes, 16 of them
   */
  readonly buckets?: readonly number[];
  /**
   * How many combinations of labels one metric may have, 10 to 100 000; in those that come later
   * all names are `other`. Larger: more names can be told apart, and more has to be scraped.
   *
   * @defaultValue 1000
   */
  readonly maxSeries?: number;
  /**
   * Makes the label `upstream` of the key of an upstream as one text (its parts in the order route,
   * region, model, mode, class, joined by `:`). Let it answer few different texts.
   *
   * @defaultValue all upstreams share the label `all`
   */
  readonly upstreamLabel?: (upstream: string) => string;
  /** For the time that a store is away, and until when a pool is as it was. @defaultValue system */
  readonly clock?: Clock;
}

/** {@link PrometheusRecorderOptions}, checked and complete. */
export interface PrometheusRecorderConfig {
  readonly registry: MetricsRegistry;
  readonly prefix: string;
  readonly buckets: readonly number[];
  readonly maxSeries: number;
  readonly upstreamLabel: ((upstream: string) => string) | undefined;
  readonly clock: Clock;
}

const names = ["registry", "prefix", "buckets", "maxSeries", "upstreamLabel", "clock"];
const PREFIX = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const BUCKETS_MAX = 64;
const defaultBuckets: readonly number[] = Object.freeze([
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
]);

/** @throws InvalidOptionsError listing every problem. */
export function parseRecorderOptions(given: PrometheusRecorderOptions): PrometheusRecorderConfig {
  const problems = new Problems("prometheusRecorder options");
  const read = new OptionsReader(given, names, problems);
  const registryMethods = ["registerMetric", "getSingleMetric"];
  const expected = "a letter or _, then up to 63 of [A-Za-z0-9_]";
  const config = {
    registry: read.optionalPort<MetricsRegistry>("registry", registryMethods) ?? register,
    prefix: read.text("prefix", PREFIX, expected, "sluice_"),
    buckets: readBuckets(read),
    maxSeries: read.integer("maxSeries", { min: 10, max: 100_000, fallback: 1000 }),
    upstreamLabel: read.optionalFunction<(upstream: string) => string>("upstreamLabel"),
    clock: read.optionalPort<Clock>("clock", ["nowMs", "after"]) ?? systemClock(),
  };
  problems.throwIfAny();
  return Object.freeze(config);
}

function readBuckets(read: OptionsReader): readonly number[] {
  const given = read.raw("buckets");
  if (given === undefined) return defaultBuckets;
  const isList = Array.isArray(given) && given.length > 0 && given.length <= BUCKETS_MAX;
  const grows =
    isList &&
    [...given].every(
      (bound, index) => Number.isFinite(bound) && bound > (index === 0 ? 0 : given[index - 1]),
    );
  if (grows) return Object.freeze([...given]);
  read.problem("buckets", `a list of 1 to ${BUCKETS_MAX} finite numbers above 0 that grow`);
  return defaultBuckets;
}
