import type { IncomingHttpHeaders } from "node:http";

/** The beginning of an answer. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** An answer that has come whole. */
export interface Answer extends AnswerHead {
  readonly body: string;
}

/** What a case asks for. */
export interface Asking {
  /** @defaultValue GET */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body, or null: it follows with `send` and `finish`. @defaultValue none */
  readonly body?: string | Buffer | null;
  /** False leaves the answer in the connection, so that it backs up. @defaultValue true */
  readonly reads?: boolean;
}

/** What is sent besides the header fields of a case: a body has a type. */
export function fieldsOf({ headers = {}, body }: Asking): Record<string, string> {
  return body === undefined ? { ...headers } : { "content-type": "text/plain", ...headers };
}

/** One request on its way, and what has come of its answer. */
export interface Exchange {
  /** Rejects if the client leaves or the connection breaks before. */
  readonly head: Promise<AnswerHead>;
  /** Rejects if the client leaves or the connection breaks before the end. */
  readonly answer: Promise<Answer>;
  /** Waits until the body so far contains the text. */
  receives(text: string): Promise<void>;
  send(piece: string | Buffer): void;
  finish(): void;
  /** Begins to read what was left unread. */
  read(): void;
  /** The client leaves without a word: the connection breaks, the stream is reset. */
  leave(): void;
}

/** A client of one protocol. */
export interface AdapterClient {
  open(path: string, asking?: Asking): Exchange;
  /** Breaks all connections. */
  close(): void;
}
