import type { IncomingMessage, ServerResponse } from "node:http";
import type { EnterOptions, GatePermit, GateRejected, GateVerdict } from "@sluice/core";
import { renderRejection } from "@sluice/core/http";
import { backlogListener } from "./backlog";
import { whenFirstByte } from "./first-byte";
import { type NodeGateConfig, type NodeGateOptions, parseNodeGateOptions } from "./gate-options";
import { GateVisit } from "./gate-visit";
import { answerError } from "./handler-error";
import type { NodeHandler, NodeListener, NodeRequest, NodeResponse } from "./message";
import { outcomeOfResponse, outcomeSoFar } from "./outcome";
import { countRequest, requestsInProcess } from "./requests-in-process";
import { whenOver } from "./response-end";
import { type Decided, runHandler } from "./run-handler";
import { abandon, sendAnswer, sendLastAnswer } from "./send-answer";

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
   * To be called once per request, before anything else looks at it.
   */
  enter(req: NodeRequest, res: NodeResponse): Promise<boolean>;
  /**
   * A listener that answers GET with `{"in_flight_requests", "admitted_requests",
   * "queued_requests", "rejected_requests"}`: requests of this process that have come through an
   * adapter and whose responses have not ended (exempt ones and this very call included), those
   * that hold a slot, those that wait for one, and those refused since the start. Mount it behind
   * `wrap`, at a path that is exempt.
   */
  backlogHandler(): NodeListener<NodeRequest, NodeResponse>;
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
 * @remarks After LiteLLM's per-worker admission gate, with its exempt paths and its backlog
 * endpoint. There a WebSocket passes uncounted; so it does here, since an upgrade has no response.
 * To count upgrades, enter the gate in the `upgrade` listener and end the permit with
 * `whenSocketEnds`.
 *
 * @example
 * ```ts
 * const gate = createNodeGate({ gate: createGate({ maxInFlight: 100 }) });
 * createServer(gate.wrap((req, res) => res.end("hello"))).listen(8080);
 * ```
 */
export function createNodeGate(options: NodeGateOptions): NodeGate {
  return new HttpGate(parseNodeGateOptions(options));
}

class HttpGate implements NodeGate {
  readonly #config: NodeGateConfig;

  constructor(config: NodeGateConfig) {
    this.#config = config;
  }

  wrap<Req extends NodeRequest, Res extends NodeResponse>(
    handler: NodeHandler<Req, Res>,
  ): NodeListener<Req, Res> {
    const { onError } = this.#config;
    return (req, res) => {
      this.#judge(req, res, (mayGoOn) => {
        if (mayGoOn) runHandler(handler, req, res, onError);
      });
    };
  }

  enter(req: NodeRequest, res: NodeResponse): Promise<boolean> {
    return new Promise((resolve) => this.#judge(req, res, resolve));
  }

  backlogHandler(): NodeListener<NodeRequest, NodeResponse> {
    return backlogListener(() => {
      const { inFlight, queued, rejected } = this.#config.gate.stats();
      return {
        in_flight_requests: requestsInProcess(),
        admitted_requests: inFlight,
        queued_requests: queued,
        rejected_requests: rejected,
      };
    });
  }

  #judge(req: NodeRequest, res: NodeResponse, decided: Decided): void {
    const visit = new GateVisit();
    const uncount = countRequest(req);
    const { gate, isExempt, outcomeOf } = this.#config;
    whenOver(res, (isComplete) => {
      uncount();
      visit.end(visit.isHolding ? outcomeOfResponse(res, isComplete, outcomeOf) : "ignored");
    });
    if (visit.isOver || isExempt(req.url)) {
      decided(!visit.isOver);
      return;
    }
    let options: EnterOptions | undefined;
    try {
      options = this.#enterOptions(req, visit);
    } catch (error) {
      this.#fail(error, req, res, decided);
      return;
    }
    gate.enter(options).then(
      (verdict) => this.#conclude(verdict, visit, req, res, decided),
      (error) => this.#fail(error, req, res, decided),
    );
  }

  #enterOptions(req: NodeRequest, visit: GateVisit): EnterOptions | undefined {
    const { gate, classOf, fairnessKeyOf } = this.#config;
    // A signal costs more than all the rest of the way, so only those who may wait get one.
    const signal = gate.hasRoom ? undefined : visit.signal();
    if (classOf === undefined && fairnessKeyOf === undefined) return signal && { signal };
    return { class: classOf?.(req), fairnessKey: fairnessKeyOf?.(req), signal };
  }

  #conclude(
    verdict: GateVerdict,
    visit: GateVisit,
    req: NodeRequest,
    res: NodeResponse,
    decided: Decided,
  ): void {
    if (verdict.admitted) this.#hold(verdict.permit, visit, res);
    else if (!visit.isOver) {
      try {
        this.#answer(verdict, req, res);
      } catch (error) {
        this.#fail(error, req, res, decided);
        return;
      }
    }
    decided(verdict.admitted && !visit.isOver);
  }

  #hold(permit: GatePermit, visit: GateVisit, res: NodeResponse): void {
    visit.hold(permit);
    if (visit.isOver || !this.#config.gate.wantsFirstByte) return;
    whenFirstByte(res, () => {
      // How soon a refusal, or an answer from a cache, was there says nothing about load.
      if (outcomeSoFar(res) === "success") visit.firstByte();
    });
  }

  #fail(error: unknown, req: NodeRequest, res: NodeResponse, decided: Decided): void {
    void answerError(error, req, res, this.#config.onError).then(() => decided(false));
  }

  #answer(rejected: GateRejected, req: NodeRequest, res: NodeResponse): void {
    const answer = renderRejection(rejected, this.#config.render);
    if (answer === null) abandon(res);
    else if (rejected.rejection.reason === "draining") sendLastAnswer(req, res, answer);
    else sendAnswer(res, answer);
  }
}
