import type { ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { Readable } from "node:stream";

/**
 * What a handler is to do, each in the way that users of the framework would write it. A closed
 * list: whoever builds a server for the suite implements these and nothing else.
 */
export type AdapterBehaviour =
  | AnswerBehaviour
  | StreamBehaviour
  | TakeBehaviour
  | ThrowBehaviour
  | RejectBehaviour
  | RedirectBehaviour;

/** Answers with a text. */
export interface AnswerBehaviour {
  readonly does: "answer";
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
  /** To be awaited before the answer; the handler is asynchronous then. */
  readonly after?: Promise<void>;
  /** Whether the body of the request is to be read to its end first, before `after` is awaited. */
  readonly reads?: true;
  /** To be called with the length of the body, when that has been read. */
  readonly onRead?: (bytes: number) => void;
}

/** Answers 200 with a stream, handed to the framework. */
export interface StreamBehaviour {
  readonly does: "stream";
  readonly source: Readable;
}

/** Takes the response away from the framework (where it has one) and writes by itself. */
export interface TakeBehaviour {
  readonly does: "take";
  readonly write: (res: ServerResponse | Http2ServerResponse) => void;
}

/** Throws before it returns; after it has sent the head and the text `begun`, if told to. */
export interface ThrowBehaviour {
  readonly does: "throw";
  readonly error: unknown;
  readonly hasBegun?: true;
}

/** Is asynchronous, and rejects once the promise is fulfilled. */
export interface RejectBehaviour {
  readonly does: "reject";
  readonly error: unknown;
  readonly after: Promise<void>;
}

/** Answers 302. */
export interface RedirectBehaviour {
  readonly does: "redirect";
  readonly to: string;
}
