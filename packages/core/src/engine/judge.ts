import type { Limit, Milliseconds } from "../limit/limit";
import { find } from "./chain";
import type { FullCost, LimitsTarget } from "./command";
import { costFor } from "./cost";
import type { CheckReply } from "./reply";
import { NEVER } from "./rules/rules";
import { rulesOf } from "./rules/rules-of";
import type { DescriptorState, LimitState } from "./state";

/** One check while a command is being executed. */
export interface Judgement {
  readonly limit: Limit;
  readonly cost: number;
  /** Alive, of the limit's shape, with no instant in the future. */
  readonly state: LimitState | null;
  readonly waitMs: number;
}

/** Judges every limit of every target against its state, in order. Changes nothing. */
export function judgeAll(
  states: readonly DescriptorState[],
  targets: readonly LimitsTarget[],
  cost: FullCost,
  at: { readonly nowMs: Milliseconds; readonly serial: number },
): Judgement[] {
  const judgements: Judgement[] = [];
  for (let index = 0; index < targets.length; index += 1) {
    const { limits } = targets[index] as LimitsTarget;
    const chain = states[index] as DescriptorState;
    for (let place = 0; place < limits.length; place += 1) {
      const limit = limits[place] as Limit;
      const state = find(chain, limit, at.nowMs, at.serial);
      const units = costFor(limit, cost);
      const waitMs = rulesOf(limit).waitMs(limit, state as never, units, at.nowMs);
      judgements.push({ limit, cost: units, state, waitMs });
    }
  }
  return judgements;
}

/** Whether no enforced limit refuses the question. */
export function isAdmissible(judgements: readonly Judgement[]): boolean {
  for (let index = 0; index < judgements.length; index += 1) {
    const { limit, waitMs } = judgements[index] as Judgement;
    if (waitMs !== 0 && limit.mode === "enforce") return false;
  }
  return true;
}

/** The reply of a check that charged nothing. */
export function unchargedReply(judgement: Judgement, nowMs: Milliseconds): CheckReply {
  const { limit, state, waitMs } = judgement;
  const rules = rulesOf(limit);
  return {
    passes: waitMs === 0,
    used: rules.used(limit, state as never, nowMs),
    resetAfterMs: rules.resetAfterMs(limit, state as never, nowMs),
    retryAfterMs: waitMs > 0 && waitMs !== NEVER ? waitMs : undefined,
    chargedAt: undefined,
    serial: 0,
  };
}
