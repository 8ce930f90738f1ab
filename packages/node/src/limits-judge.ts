import type { LimiterPermit, Question, Rejected, Verdict } from "@sluice/core";
import { renderHeaders } from "@sluice/core/http";
import {
  asError,
  type Decided,
  type Framework,
  failure,
  type Judge,
  type LateStep,
  over,
  proceed,
  type Step,
} from "./adapter";
import type { AdmissionEntry } from "./admission/admission-entry";
import { isAboutGoneClient } from "./client-gone";
import { endedRequest } from "./ended";
import {
  type LimitsAdapterConfig,
  type LimitsAdapterOptions,
  parseLimitsAdapterOptions,
  type RefundWhen,
} from "./limits-options";
import type { NodeRequest, NodeResponse } from "./message";
import { markIgnored, outcomeOfResponse } from "./outcome";
import { hasPassed, notePassed } from "./passed";
import { Placement } from "./placement";
import { refusal, thrownRejection } from "./refusal";
import { hasEnded, whenOver } from "./response-end";
import { isThenable } from "./run-handler";
import { keepVerdict } from "./verdict-of";
import { warnOfError } from "./warning";

/**
 * Limits for an adapter: judges requests, and closes permits at the end of their responses.
 *
 * @throws InvalidOptionsError listing every problem.
 */
export function createLimitsJudge<Req>(
  options: LimitsAdapterOptions<Req>,
  framework: Framework<Req>,
): Judge<Req> {
  return new LimitsJudge(parseLimitsAdapterOptions(options, framework), framework);
}

class LimitsJudge<Req> implements Judge<Req> {
  readonly #config: LimitsAdapterConfig<Req>;
  readonly #onLateError: Framework<Req>["onLateError"];
  readonly #placement: Placement;

  constructor(config: LimitsAdapterConfig<Req>, { factory, onLateError }: Framework<Req>) {
    this.#config = config;
    this.#onLateError = onLateError;
    this.#placement = new Placement(factory);
  }

  judge(request: Req, req: NodeRequest, res: NodeResponse, decided: Decided): void {
    if (hasPassed(req, this)) {
      decided(hasEnded(res) ? over : proceed);
      return;
    }
    this.#placement.check(res);
    if (hasEnded(res)) {
      decided(over);
      return;
    }
    let verdict: Promise<Verdict<LimiterPermit> | null> | null;
    try {
      verdict = this.#verdictOn(request, res);
    } catch (error) {
      decided(unanswered(error, req));
      return;
    }
    if (verdict === null) decided(proceed);
    else {
      const entry = this.#beginEntry(request, req, res);
      verdict.then(
        (verdict) => {
          if (verdict !== null) entry?.limitsAnswered(verdict);
          decided(this.#conclude(verdict, request, req, res));
        },
        (error) => decided(unanswered(error, req)),
      );
    }
  }

  caught(thrown: unknown, req: NodeRequest, res: NodeResponse): LateStep | null {
    return thrownRejection(thrown, this.#config, req, res);
  }

  #beginEntry(request: Req, req: NodeRequest, res: NodeResponse): AdmissionEntry | undefined {
    const entry = this.#config.admissionEvents?.begin(request, req, res);
    if (entry === undefined) return undefined;
    whenOver(res, (isComplete) => entry.over(isComplete, outcomeOfResponse(res, isComplete)));
    return entry;
  }

  /** Null if no limits apply, where that is known at once: awaiting it would cost a promise. */
  #verdictOn(request: Req, res: NodeResponse): Promise<Verdict<LimiterPermit> | null> | null {
    const asked = this.#config.policy(request);
    if (asked === null) return null;
    if (!isThenable(asked)) return this.#ask(asked, res);
    return Promise.resolve(asked).then((question) =>
      question === null ? null : this.#ask(question, res),
    );
  }

  /** Who waits for a limit leaves the queue when its client does. */
  #ask(question: Question, res: NodeResponse): Promise<Verdict<LimiterPermit>> {
    const { limiter } = this.#config;
    // Malformed questions go on as they are: the limiter says what is wrong with them.
    if (!question?.maxWaitMs) return limiter.admit(question);
    const leaving = new AbortController();
    whenOver(res, () => leaving.abort());
    const { signal: own } = question;
    const signal = own === undefined ? leaving.signal : AbortSignal.any([own, leaving.signal]);
    return limiter.admit({ ...question, signal });
  }

  #conclude(
    verdict: Verdict<LimiterPermit> | null,
    request: Req,
    req: NodeRequest,
    res: NodeResponse,
  ): Step {
    if (verdict === null) return hasEnded(res) ? over : proceed;
    try {
      keepVerdict(req, verdict);
      if ((request as unknown) !== req) keepVerdict(request as object, verdict);
      if (!verdict.admitted) return this.#refuse(verdict, req, res);
      return this.#follow(verdict, request, req, res);
    } catch (error) {
      return failure(error);
    }
  }

  /** Lets an admitted request go on, and closes its permit at the end. */
  #follow(
    { permit, statuses }: Verdict<LimiterPermit> & { readonly admitted: true },
    request: Req,
    req: NodeRequest,
    res: NodeResponse,
  ): Step {
    let hasLeft = false;
    whenOver(res, (isComplete) => {
      hasLeft = true;
      this.#close(permit, request, res, isComplete);
    });
    // The client may have left while the store was being asked.
    if (hasLeft) return over;
    notePassed(req, this);
    const { admitted } = this.#config;
    if (admitted === null || res.headersSent) return proceed;
    return { type: "proceed", headers: renderHeaders(statuses, admitted) };
  }

  #close(permit: LimiterPermit, request: Req, res: NodeResponse, isComplete: boolean): void {
    const { refundWhen } = this.#config;
    if (refundWhen !== undefined && !permit.isClosed) {
      try {
        if (isRefunded(refundWhen, request, res, isComplete)) permit.refundAtEnd();
      } catch (error) {
        this.#tellLate(asError(error), request, res);
      }
    }
    void permit.finish();
  }

  #tellLate(error: Error, request: Req, res: NodeResponse): void {
    if (this.#onLateError === undefined) {
      warnOfError(error);
      return;
    }
    try {
      const telling = this.#onLateError(error, request, res);
      if (isThenable(telling)) telling.then(undefined, warnOfError);
    } catch (thrown) {
      warnOfError(thrown);
    }
  }

  #refuse(rejected: Rejected, req: NodeRequest, res: NodeResponse): Step {
    if (hasEnded(res)) return over;
    // No work was done: a gate in front must not take this for the time that answers take.
    markIgnored(res);
    return refusal(rejected, this.#config, req, res);
  }
}

/** What to do with a request that the policy or the limiter had no answer to. */
function unanswered(error: unknown, req: NodeRequest): Step {
  return isAboutGoneClient(error, req) ? over : failure(error);
}

/** @throws Error if the answer is neither true nor false; whatever the function throws. */
function isRefunded<Req>(
  refundWhen: RefundWhen<Req>,
  request: Req,
  res: NodeResponse,
  isComplete: boolean,
): boolean {
  const answer: unknown = refundWhen(endedRequest(request, res, isComplete));
  if (typeof answer === "boolean") return answer;
  throw new TypeError(`refundWhen: expected true or false, received ${typeof answer}`);
}
