import type { OptionsReader } from "@sluice/core";
import type { RenderedAnswer } from "@sluice/core/http";
import type { NodeRequest, NodeResponse } from "./message";

/**
 * What an adapter has to do next with a request that was judged. All that is needed of Node.js for
 * it has been done: the end is followed, and a connection that is to be closed will be.
 *
 * - `proceed`: set the headers, if there are any, and run what comes next.
 * - `answer`: send this answer in place of what comes next.
 * - `over`: do nothing. It has been answered already, or there is nobody left to answer.
 * - `fail`: pass the error on to the framework. A policy or a function of the options has thrown
 *   it, or the limiter said that the question is malformed; or it is an `HttpRejectedError`, where
 *   rejections are errors.
 */
export type Step =
  | { readonly type: "proceed"; readonly headers: Readonly<Record<string, string>> | null }
  | { readonly type: "answer"; readonly answer: RenderedAnswer }
  | { readonly type: "over" }
  | { readonly type: "fail"; readonly error: Error };

/** What may be done about a request that has gone on: answer it, or pass an error on. */
export type LateStep = Extract<Step, { type: "answer" | "fail" }>;

/**
 * Hears what to do next with a request. Called once, and must not throw.
 *
 * A function where a promise would be plainer: every request passes here, and each promise on its
 * way costs about as much as a look-up of its limits.
 */
export type Decided = (step: Step) => void;

/** A gate or limits behind an adapter, with no knowledge of its framework. */
export interface Judge<Req> {
  /**
   * Judges a request, and follows it to the end of its response if it is admitted. A request that
   * this judge has admitted before goes on at once and is not charged again. Never throws.
   *
   * @param request the request as the framework has it: what policies get.
   * @param req the request of Node.js under it, or the same.
   */
  judge(request: Req, req: NodeRequest, res: NodeResponse, decided: Decided): void;
  /**
   * Says what to do when what came next has thrown, for adapters that see it: `answer` or `fail`
   * for a `RejectedError`, null for anything else, which is to go on as it would without this
   * judge. Never throws.
   */
  caught(thrown: unknown, req: NodeRequest, res: NodeResponse): LateStep | null;
}

/** What a framework is to the seam. */
export interface Framework<Req> {
  /** The name of the factory, for the messages of errors and warnings. */
  readonly factory: string;
  /**
   * The URL that exempt paths are compared with: the one that was sent, whatever was mounted where.
   *
   * @defaultValue the `url` of the request of Node.js
   */
  readonly urlOf?: (request: Req) => string | undefined;
  /**
   * Hears of an error that came when the response was over, so that no error handler can answer it.
   *
   * @defaultValue a warning of the process
   */
  readonly onLateError?: (error: Error, request: Req, res: NodeResponse) => unknown;
  /** The names of the options that are the adapter's own. */
  readonly ownOptions?: readonly string[];
  /** Reads the options that are the adapter's own, and leaves problems at the reader. */
  readonly readOwn?: (reader: OptionsReader) => void;
}

export const proceed: Step = Object.freeze({ type: "proceed", headers: null });
export const over: Step = Object.freeze({ type: "over" });

/**
 * The step for something that was thrown. Always an error: frameworks take `undefined`, or texts
 * such as `route`, for something else than a failure.
 */
export function failure(thrown: unknown): LateStep {
  return { type: "fail", error: asError(thrown) };
}

/** What was thrown if it is an error, also one of another realm; else an error that tells of it. */
export function asError(thrown: unknown): Error {
  if (Object.prototype.toString.call(thrown) === "[object Error]") return thrown as Error;
  if (thrown instanceof Error) return thrown;
  return new Error(`Expected an error to be thrown, received ${typeof thrown}`, { cause: thrown });
}
