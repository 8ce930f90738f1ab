/** What a metric is called, says and is split by. */
export interface Definition<L extends readonly string[]> {
  /** Without the prefix. */
  readonly name: string;
  readonly help: string;
  readonly labels: L;
}

/** What all metrics of a recorder share. */
export interface FamilyOptions {
  readonly prefix: string;
  readonly maxSeries: number;
  /** Upper bounds in seconds, growing. */
  readonly buckets: readonly number[];
}
