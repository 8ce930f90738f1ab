import type { Descriptor } from "../descriptor/descriptor";
import type { Milliseconds } from "../limit/limit";

/** Units and how many of each: non-negative integers. */
export type Cost = Readonly<Record<string, number>>;

/** What is asked of a limiter for one request. */
export interface Question {
  /** 1 to 16 different descriptors; the request passes only if every limit of all of them does. */
  readonly descriptors: readonly Descriptor[];
  /**
   * What the request costs. A missing `requests` is 1, any other missing unit 0. A declared unit
   * that no limit counts is ignored; an undeclared one is an error.
   */
  readonly cost?: Cost | undefined;
  /**
   * Which class of the question's pools it belongs to, by the name of a share. A name that a pool
   * does not have, or none, is its class `default`. Limits that are no pools ignore it.
   */
  readonly priority?: string | undefined;
  /**
   * How long to wait in this process for a limit that is full, 0 to 100 years. The question then
   * waits in a queue of that limit, and is admitted as soon as all its limits let it. It is refused
   * at once, as it would be without waiting, when the exact wait is longer.
   *
   * @defaultValue 0
   */
  readonly maxWaitMs?: Milliseconds | undefined;
  /**
   * Aborted before the answer: the request is not admitted (`aborted`), and nothing stays charged.
   * Who waits leaves the queue at once.
   */
  readonly signal?: AbortSignal | undefined;
}

/** From a framework's request to a question, or null when no limits apply. */
export type Policy<Request> = (request: Request) => Question | null | Promise<Question | null>;
