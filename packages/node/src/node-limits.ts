import type { IncomingMessage } from "node:http";
import type { LimiterPermit, Question, Rejected, Verdict } from "@sluice/core";
import { renderHeaders, renderRejection } from "@sluice/core/http";
import { answerError } from "./handler-error";
import {
  type NodeLimitsConfig,
  type NodeLimitsOptions,
  parseNodeLimitsOptions,
} from "./limits-options";
import type { NodeHandler, NodeListener, NodeRequest, NodeResponse, ResponseTo } from "./message";
import { markIgnored } from "./outcome";
import { hasEnded, whenOver } from "./response-end";
import { type Decided, isThenable, runHandler } from "./run-handler";
import { abandon, sendAnswer, sendLastAnswer, setHeaders } from "./send-answer";
import { keepVerdict } from "./verdict-of";

/** Limits in front of a node:http or node:http2 handler. Made by {@link createNodeLimits}. */
export interface NodeLimits<Req extends NodeRequest = IncomingMessage> {
  /**
   * A listener that runs the handler for requests that the limits admit. A handler that throws or
   * rejects gets its request a 500, or a broken connection if the answer had begun.
   */
  wrap<Res extends NodeResponse = ResponseTo<Req>>(
    handler: NodeHandler<Req, Res>,
  ): NodeListener<Req, Res>;
  /**
   * Whether the request may go on. False: it has been answered, or its client has left. What was
   * charged is settled by itself when the response ends. Never rejects.
   */
  enter(req: Req, res: NodeResponse): Promise<boolean>;
}

/**
 * Puts limits in front of a handler, where the caller is known.
 *
 * When the response ends, in whatever way, the permit is settled to the usage that was noted with
 * `permitOf(req)?.usage(...)`, else released. Nothing is refunded unless the handler asked for it
 * with
 * `refundAtEnd()`: clients that leave early could otherwise use for nothing what they have been
 * sent.
 *
 * A policy for HTTP/2 says so in the type of its parameter: `(req: Http2ServerRequest) => ...`.
 *
 * @throws InvalidOptionsError listing every problem.
 *
 * @example
 * ```ts
 * const limits = createNodeLimits({
 *   limiter: createLimiter(),
 *   policy: (req) => ({
 *     descriptors: [{ kind: "api_key", id: apiKeyOf(req), limits: [perMinute] }],
 *   }),
 * });
 * createServer(limits.wrap((req, res) => res.end("hello"))).listen(8080);
 * ```
 */
export function createNodeLimits<Req extends NodeRequest = IncomingMessage>(
  options: NodeLimitsOptions<Req>,
): NodeLimits<Req> {
  return new HttpLimits(parseNodeLimitsOptions(options));
}

class HttpLimits<Req extends NodeRequest> implements NodeLimits<Req> {
  readonly #config: NodeLimitsConfig<Req>;

  constructor(config: NodeLimitsConfig<Req>) {
    this.#config = config;
  }

  wrap<Res extends NodeResponse>(handler: NodeHandler<Req, Res>): NodeListener<Req, Res> {
    const { onError } = this.#config;
    return (req, res) => {
      this.#judge(req, res, (mayGoOn) => {
        if (mayGoOn) runHandler(handler, req, res, onError);
      });
    };
  }

  enter(req: Req, res: NodeResponse): Promise<boolean> {
    return new Promise((resolve) => this.#judge(req, res, resolve));
  }

  #judge(req: Req, res: NodeResponse, decided: Decided): void {
    const conclude = (verdict: Verdict<LimiterPermit> | null) =>
      this.#conclude(verdict, req, res, decided);
    const fail = (error: unknown) => this.#fail(error, req, res, decided);
    try {
      const asked = this.#config.policy(req);
      if (asked === null) conclude(null);
      // Awaiting a question that is there already would cost every request a promise.
      else if (isThenable(asked)) {
        const verdict = asked.then((question) =>
          question === null ? null : this.#ask(question, res),
        );
        verdict.then(conclude, fail);
      } else this.#ask(asked, res).then(conclude, fail);
    } catch (error) {
      fail(error);
    }
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
    req: Req,
    res: NodeResponse,
    decided: Decided,
  ): void {
    let mayGoOn: boolean;
    try {
      mayGoOn = verdict === null ? !hasEnded(res) : this.#follow(verdict, req, res);
    } catch (error) {
      this.#fail(error, req, res, decided);
      return;
    }
    decided(mayGoOn);
  }

  #fail(error: unknown, req: Req, res: NodeResponse, decided: Decided): void {
    void answerError(error, req, res, this.#config.onError).then(() => decided(false));
  }

  /** Lets an admitted request go on and closes its permit at the end, or answers a rejected one. */
  #follow(verdict: Verdict<LimiterPermit>, req: Req, res: NodeResponse): boolean {
    keepVerdict(req, verdict);
    if (!verdict.admitted) {
      this.#answer(verdict, req, res);
      return false;
    }
    const { permit, statuses } = verdict;
    let hasLeft = false;
    whenOver(res, () => {
      hasLeft = true;
      void permit.finish();
    });
    // The client may have left while the store was being asked.
    if (hasLeft) return false;
    const { admitted } = this.#config;
    if (admitted !== null) setHeaders(res, renderHeaders(statuses, admitted));
    return true;
  }

  #answer(rejected: Rejected, req: Req, res: NodeResponse): void {
    if (hasEnded(res)) return;
    // No work was done: a gate in front must not take this for the time that answers take.
    markIgnored(res);
    const answer = renderRejection(rejected, this.#config.render);
    if (answer === null) abandon(res);
    else if (rejected.rejection.reason === "draining") sendLastAnswer(req, res, answer);
    else sendAnswer(res, answer);
  }
}
