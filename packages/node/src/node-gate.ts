import type { IncomingMessage, ServerResponse } from "node:http";
import type { Judge } from "./adapter";
import { followStep } from "./follow-step";
import { createGateJudge } from "./gate-judge";
import type { GateAdapterOptions } from "./gate-options";
import { answerError, type OnError } from "./handler-error";
import type { NodeHandler, NodeListener, NodeRequest, NodeResponse } from "./message";
import { runHandler } from "./run-handler";

/** What {@link createNodeGate} takes. */
export interface NodeGateOptions extends GateAdapterOptions<NodeRequest> {
  /**
   * Hears of errors of the functions of these options and of wrapped handlers.
   *
   * @defaultValue a warning of the process, and a plain 500
   */
  readonly onError?: OnError;
}

/** A gate in front of a node:http or node:http2 server. Made by {@link createNodeGate}. */
export interface NodeGate {
  /**
   * A listener that lets requests through the gate to the handler. A handler that throws or rejects
   * gets its request a 500, or a broken connection if the answer had begun.
   *
   * Parameters without types are those of node:http, unless the server that they are passed to
   * says otherwise.
   */
  wrap<Req extends NodeRequest = IncomingMessage, Res extends NodeResponse = ServerResponse>(
    handler: NodeHandler<Req, Res>,
  ): NodeListener<Req, Res>;
  /**
   * Whether the request may go on, now or after a wait. False: it has been answered, or its client
   * has left. The slot comes back by itself when the response ends, in whatever way. Never rejects.
   *
   * To be called before anything else looks at the request. One that was let through goes on at
   * once when it comes again.
   */
  enter(req: NodeRequest, res: NodeResponse): Promise<boolean>;
}

/**
 * Puts a gate in front of a server, before authentication and anything else that costs.
 *
 * A request that waits leaves the queue when its client leaves. How a slot counts when it comes
 * back is decided by the response: aborted `ignored`, 503 and 504 `dropped`, anything else
 * `success` (see `markDropped` and `markIgnored`). The gate's own refusals hold no slot and count
 * as nothing. If first bytes matter to the gate, they are told: the first byte of the body, not of
 * the headers, of an answer that counts as `success`.
 *
 * @throws InvalidOptionsError listing every problem.
 * @remarks After LiteLLM's per-worker admission gate, with its exempt paths. There a WebSocket
 * passes uncounted; so it does here, since an upgrade has no response. To count upgrades, enter the
 * gate in the `upgrade` listener and end the permit with `whenSocketEnds`.
 *
 * @example
 * ```ts
 * const gate = createNodeGate({ gate: createGate({ maxInFlight: 100 }) });
 * createServer(gate.wrap((req, res) => res.end("hello"))).listen(8080);
 * ```
 */
export function createNodeGate(options: NodeGateOptions): NodeGate {
  let onError: OnError | undefined;
  const judge = createGateJudge(options, {
    factory: "createNodeGate",
    ownOptions: ["onError"],
    readOwn: (reader) => {
      onError = reader.optionalFunction<OnError>("onError");
    },
  });
  return new HttpGate(judge, onError);
}

class HttpGate implements NodeGate {
  readonly #judge: Judge<NodeRequest>;
  readonly #onError: OnError | undefined;

  constructor(judge: Judge<NodeRequest>, onError: OnError | undefined) {
    this.#judge = judge;
    this.#onError = onError;
  }

  wrap<Req extends NodeRequest, Res extends NodeResponse>(
    handler: NodeHandler<Req, Res>,
  ): NodeListener<Req, Res> {
    return (req, res) => {
      this.#enter(req, res, (mayGoOn) => {
        if (mayGoOn) runHandler(handler, req, res, (thrown) => this.#caught(thrown, req, res));
      });
    };
  }

  enter(req: NodeRequest, res: NodeResponse): Promise<boolean> {
    return new Promise((resolve) => this.#enter(req, res, resolve));
  }

  #enter(req: NodeRequest, res: NodeResponse, done: (mayGoOn: boolean) => void): void {
    this.#judge.judge(req, req, res, (step) => followStep(step, req, res, this.#onError, done));
  }
  #caught(thrown: unknown, req: NodeRequest, res: NodeResponse): void {
    const step = this.#judge.caught(thrown, req, res);
    if (step === null) void answerError(thrown, req, res, this.#onError);
    else followStep(step, req, res, this.#onError, () => {});
  }
}
