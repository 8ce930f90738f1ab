/** The clients that are called. */
export const clientNames = ["openai", "anthropic", "undici", "got", "ky", "axios"] as const;

export type ClientName = (typeof clientNames)[number];

/** Which versions of them: the newest, or the newest that Node.js 20 takes. */
export type ClientLine = "newest" | "node-20";

/** One call, with the client's own defaults for retries. */
export interface Call {
  readonly client: ClientName;
  readonly url: string;
  /** The clients of model providers know POST only. */
  readonly method: "GET" | "POST";
  /** The caller's patience: after it the call is aborted. */
  readonly abortAfterMs: number;
}

/** One request of a call; instants are of the clock of the client's process. */
export interface Attempt {
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly status: number;
  /** Header fields of the answer by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What a call came to. */
export interface CallReport {
  readonly attempts: readonly Attempt[];
  /** Whether the client gave its caller an answer and not an error. */
  readonly isAnswered: boolean;
  readonly tookMs: number;
  /** How late timers of the client's process were during the call, at the worst. */
  readonly stalledMs: number;
}

/** Makes a call; rejects with the client's error. */
export type Send = (call: Omit<Call, "client" | "abortAfterMs">, signal: AbortSignal) => unknown;

export type Clients = Readonly<Record<ClientName, Send>>;
