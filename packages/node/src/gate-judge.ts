import type { EnterOptions, GatePermit, GateVerdict } from "@sluice/core";
import {
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
import { outcomeOfEnded } from "./ended";
import { whenFirstByte } from "./first-byte";
import {
  type GateAdapterConfig,
  type GateAdapterOptions,
  parseGateAdapterOptions,
} from "./gate-options";
import { GateVisit } from "./gate-visit";
import type { NodeRequest, NodeResponse } from "./message";
import { outcomeSoFar } from "./outcome";
import { hasPassed, notePassed } from "./passed";
import { Placement } from "./placement";
import { refusal, thrownRejection } from "./refusal";
import { countRequest } from "./requests-in-process";
import { hasEnded, whenOver } from "./response-end";

/**
 * A gate for an adapter: judges requests, and gives slots back at the end of their responses.
 *
 * @throws InvalidOptionsError listing every problem.
 */
export function createGateJudge<Req>(
  options: GateAdapterOptions<Req>,
  framework: Framework<Req>,
): Judge<Req> {
  return new GateJudge(parseGateAdapterOptions(options, framework), framework);
}

class GateJudge<Req> implements Judge<Req> {
  readonly #config: GateAdapterConfig<Req>;
  readonly #urlOf: Framework<Req>["urlOf"];
  readonly #placement: Placement;

  constructor(config: GateAdapterConfig<Req>, { factory, urlOf }: Framework<Req>) {
    this.#config = config;
    this.#urlOf = urlOf;
    this.#placement = new Placement(factory);
  }

  judge(request: Req, req: NodeRequest, res: NodeResponse, decided: Decided): void {
    if (hasPassed(req, this)) {
      decided(hasEnded(res) ? over : proceed);
      return;
    }
    this.#placement.check(res);
    const visit = new GateVisit();
    const uncount = countRequest(req);
    const { gate, isExempt, outcomeOf, admissionEvents } = this.#config;
    const entry = admissionEvents?.begin(request, req, res);
    whenOver(res, (isComplete) => {
      uncount();
      const isHolding = visit.isHolding;
      const outcome = isHolding ? outcomeOfEnded(request, res, isComplete, outcomeOf) : "ignored";
      visit.end(outcome);
      entry?.over(isComplete, outcome);
    });
    if (visit.isOver || hasEnded(res)) {
      decided(over);
      return;
    }
    let options: EnterOptions | undefined;
    try {
      if (isExempt(this.#urlOf === undefined ? req.url : this.#urlOf(request))) {
        decided(proceed);
        return;
      }
      options = this.#enterOptions(request, visit);
    } catch (error) {
      decided(failure(error));
      return;
    }
    gate.enter(options).then(
      (verdict) => {
        entry?.gateAnswered(verdict, gate);
        decided(this.#conclude(verdict, visit, entry, req, res));
      },
      (error) => decided(failure(error)),
    );
  }

  #enterOptions(request: Req, visit: GateVisit): EnterOptions | undefined {
    const { gate, classOf, fairnessKeyOf } = this.#config;
    // A signal costs more than all the rest of the way, so only those who may wait get one.
    const signal = gate.hasRoom ? undefined : visit.signal();
    if (classOf === undefined && fairnessKeyOf === undefined) return signal && { signal };
    return { class: classOf?.(request), fairnessKey: fairnessKeyOf?.(request), signal };
  }

  #conclude(
    verdict: GateVerdict,
    visit: GateVisit,
    entry: AdmissionEntry | undefined,
    req: NodeRequest,
    res: NodeResponse,
  ): Step {
    if (verdict.admitted) {
      this.#hold(verdict.permit, visit, entry, res);
      if (visit.isOver) return over;
      notePassed(req, this);
      return proceed;
    }
    return visit.isOver ? over : refusal(verdict, this.#config, req, res);
  }

  #hold(
    permit: GatePermit,
    visit: GateVisit,
    entry: AdmissionEntry | undefined,
    res: NodeResponse,
  ): void {
    visit.hold(permit);
    if (visit.isOver || !this.#config.gate.wantsFirstByte) return;
    whenFirstByte(res, () => {
      // How soon a refusal, or an answer from a cache, was there says nothing about load.
      if (outcomeSoFar(res) !== "success") return;
      visit.firstByte();
      entry?.firstByte();
    });
  }

  caught(thrown: unknown, req: NodeRequest, res: NodeResponse): LateStep | null {
    return thrownRejection(thrown, this.#config, req, res);
  }
}
