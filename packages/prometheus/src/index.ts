export { prometheusRecorder } from "./create-recorder";
export type { PrometheusRecorder } from "./prometheus-recorder";
export type { MetricsRegistry, PrometheusRecorderOptions } from "./recorder-options";
export type { StoreWithNodes, Watched } from "./watch/watched";
