import type { IncomingMessage } from "node:http";
import type { Judge } from "./adapter";
import { followStep } from "./follow-step";
import { answerError, type OnError } from "./handler-error";
import { createLimitsJudge } from "./limits-judge";
import type { LimitsAdapterOptions } from "./limits-options";
import type { NodeHandler, NodeListener, NodeRequest, NodeResponse, ResponseTo } from "./message";
import { runHandler } from "./run-handler";
import { warnOfError } from "./warning";

/** What {@link createNodeLimits} takes. */
export interface NodeLimitsOptions<Req extends NodeRequest = IncomingMessage>
  extends LimitsAdapterOptions<Req> {
  /**
   * Hears of errors of the policy, the limiter, `refundWhen` and wrapped handlers.
   *
   * @defaultValue a warning of the process, and a plain 500 where there is something to answer
   */
  readonly onError?: OnError;
}

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
   * charged is settled by itself when the response ends. A request that was admitted goes on at
   * once, without another charge, when it comes again. Never rejects.
   */
  enter(req: Req, res: NodeResponse): Promise<boolean>;
}

/**
 * Puts limits in front of a handler, where the caller is known.
 *
 * When the response ends, in whatever way, the permit is settled to the usage that was noted with
 * `permitOf(req)?.usage(...)`, else released. Nothing is refunded unless the handler asked for it
 * with `refundAtEnd()` or `refundWhen` says so: clients that leave early could otherwise use for
 * nothing what they have been sent.
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
  let onError: OnError | undefined;
  const judge = createLimitsJudge(options, {
    factory: "createNodeLimits",
    ownOptions: ["onError"],
    readOwn: (reader) => {
      onError = reader.optionalFunction<OnError>("onError");
    },
    onLateError: (error, req, res) => (onError ?? warnOfError)(error, req, res),
  });
  return new HttpLimits(judge, onError);
}

class HttpLimits<Req extends NodeRequest> implements NodeLimits<Req> {
  readonly #judge: Judge<Req>;
  readonly #onError: OnError | undefined;

  constructor(judge: Judge<Req>, onError: OnError | undefined) {
    this.#judge = judge;
    this.#onError = onError;
  }

  wrap<Res extends NodeResponse>(handler: NodeHandler<Req, Res>): NodeListener<Req, Res> {
    return (req, res) => {
      this.#enter(req, res, (mayGoOn) => {
        if (mayGoOn) runHandler(handler, req, res, (thrown) => this.#caught(thrown, req, res));
      });
    };
  }

  enter(req: Req, res: NodeResponse): Promise<boolean> {
    return new Promise((resolve) => this.#enter(req, res, resolve));
  }

  #enter(req: Req, res: NodeResponse, done: (mayGoOn: boolean) => void): void {
    this.#judge.judge(req, req, res, (step) => followStep(step, req, res, this.#onError, done));
  }
  #caught(thrown: unknown, req: Req, res: NodeResponse): void {
    const step = this.#judge.caught(thrown, req, res);
    if (step === null) void answerError(thrown, req, res, this.#onError);
    else followStep(step, req, res, this.#onError, () => {});
  }
}
