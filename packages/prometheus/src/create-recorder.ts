import { Problems } from "@sluice/core";
import { MetricsRecorder, type PrometheusRecorder } from "./prometheus-recorder";
import {
  type MetricsRegistry,
  type PrometheusRecorderOptions,
  parseRecorderOptions,
} from "./recorder-options";

type RecordersByPrefix = Map<string, MetricsRecorder>;

/** Shared by all copies of this package in a process, as registries are. */
const key = Symbol.for("sluice.prometheus.recorders");
const shared = globalThis as { [key]?: WeakMap<MetricsRegistry, RecordersByPrefix> };

/**
 * A recorder that counts and measures for Prometheus. One serves all limiters, gates, adaptive
 * limits, upstreams and stores of a process: give it to each as `recorder`, and let it watch what
 * has numbers of its own.
 *
 * The number of series depends on names in the program alone, never on callers: ids of descriptors,
 * fairness keys and texts of errors are no labels. Asked again for the same registry and prefix, it
 * returns the recorder that is there, with the options that this was made with.
 *
 * @throws InvalidOptionsError listing every bad option, or if the registry has other metrics of
 *   these names.
 *
 * @example
 * ```ts
 * const metrics = prometheusRecorder();
 * const gate = createGate({ name: "front", maxInFlight: 100, recorder: metrics });
 * const limiter = createLimiter({ recorder: metrics });
 * metrics.watch({ gates: { front: gate }, limiters: { limiter } });
 * ```
 */
export function prometheusRecorder(options: PrometheusRecorderOptions = {}): PrometheusRecorder {
  const config = parseRecorderOptions(options);
  const { registry, prefix } = config;
  shared[key] ??= new WeakMap();
  const ofRegistry: RecordersByPrefix = shared[key].get(registry) ?? new Map();
  const recorder = ofRegistry.get(prefix) ?? new MetricsRecorder(config);
  refuseStrangers(recorder, registry);
  // Kept before it is registered: if the registry fails halfway, what it has got is known.
  ofRegistry.set(prefix, recorder);
  shared[key].set(registry, ofRegistry);
  // All metrics the first time, and after the registry was cleared.
  for (const { metric } of recorder.families.metrics) registry.registerMetric(metric);
  return recorder;
}

/** Throws if names are taken by metrics that are not the recorder's. */
function refuseStrangers({ families }: MetricsRecorder, registry: MetricsRegistry): void {
  const problems = new Problems("prometheusRecorder options");
  for (const { name, metric } of families.metrics) {
    const known = registry.getSingleMetric(name);
    if (known === undefined || known === metric) continue;
    problems.add("prefix", `one under which the registry has no metrics (it has ${name})`, name);
  }
  problems.throwIfAny();
}
