/** One request that the load client is to send. */
export interface Shot {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds after the start of the burst. */
  readonly atMs?: number;
}

/** What came back, timed on the client in milliseconds after the start of the burst. */
export interface Answer {
  /** 0 if the connection broke. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly sentAtMs: number;
  readonly firstByteAtMs: number;
  readonly endedAtMs: number;
}

/** From the first byte sent to the last byte received. */
export function durationMs(answer: Answer): number {
  return answer.endedAtMs - answer.sentAtMs;
}
