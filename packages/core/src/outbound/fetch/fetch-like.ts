import type { ReadableHeaders } from "../retry-after";

/** What is used of a response: the part that the `Response` of every fetch has. */
export interface FetchedResponse {
  readonly status: number;
  readonly headers: ReadableHeaders;
  /** A `ReadableStream` of the web, or null. */
  readonly body: unknown;
}

/** A function like the global `fetch`: that of the runtime, of undici, or one that wraps it. */
// biome-ignore lint/suspicious/noExplicitAny: what it takes is its own affair.
export type FetchLike = (input: any, init?: any) => Promise<FetchedResponse>;

/** The part of a `ReadableStream` that is used. */
export interface FetchedBody {
  getReader(): BodyReader;
}

export interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array }>;
  cancel(reason?: unknown): Promise<void>;
}

export function isFetchedBody(body: unknown): body is FetchedBody {
  return typeof (body as Partial<FetchedBody> | null)?.getReader === "function";
}
