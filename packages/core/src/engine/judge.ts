import type { Limit, Milliseconds } from "../limit/limit";
import { find } from "./chain";
import type { FullCost, LimitsTarget } from "./command";
import { costFor } from "./cost";
import type { CheckReply } from "./reply";
import { rulesOf } from "./rules/rules-of";
import type { DescriptorState, LimitState } from "./state";

/** One check while a command is being executed. */
export interface Judgement {
  readonly limit: Limit;
  readonly cost: number;
  /** Alive, of the limit's shape, with no instant in the future. */
  readonly state: LimitState | null;
  readonly isAhead: boolean;
  readonly isReplaced: boolean;
  readonly waitMs: number;
}

/** Judges every limit of one target against its state. Changes nothing. */
export function judgeTarget(
  chain: DescriptorState,
  target: LimitsTarget,
  cost: FullCost,
  at: { readonly nowMs: Milliseconds; readonly serial: number },
): Judgement[] {
  return target.limits.map((limit) => {
    const { state, isAhead, isReplaced } = find(chain, limit, at.nowMs, at.serial);
    const units = costFor(limit, cost);
    const waitMs = rulesOf(limit).waitMs(limit, state, units, at.nowMs);
    return { limit, cost: units, state, isAhead, isReplaced, waitMs };
  });
}

/** Whether a judgement alone refuses the question. */
export function refuses({ limit, waitMs }: Judgement): boolean {
  return waitMs !== 0 && limit.mode === "enforce";
}

/** The reply of a check that charged nothing. */
export function unchargedReply(judgement: Judgement, nowMs: Milliseconds): CheckReply {
  const { limit, state, waitMs } = judgement;
  const rules = rulesOf(limit);
  const isExact = waitMs > 0 && waitMs !== Number.POSITIVE_INFINITY;
  return {
    passes: waitMs === 0,
    used: rules.used(limit, state as never, nowMs),
    resetAfterMs: rules.resetAfterMs(limit, state as never, nowMs),
    retryAfterMs: isExact ? waitMs : undefined,
    chargedAt: undefined,
    serial: 0,
  };
}
