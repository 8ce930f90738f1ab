/** What the client saw in one round. */
export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Share of the round in which the client used a core: near 1 it measures itself. */
  readonly clientBusy: number;
  /** Requests in the whole round, its beginning included. */
  readonly requests: number;
  /** How many of them were refused. */
  readonly refusals: number;
}

/** One round, as the parent asks for it: `<port> <milliseconds>`. */
export function loadQuestion(port: number, roundMs: number): string {
  return `${port} ${roundMs}`;
}
