import type { CheckLimit, Milliseconds, PoolUnitLimit } from "../limit/limit";
import { find } from "./chain";
import type { FullCost, LimitsTarget } from "./command";
import { costFor } from "./cost";
import type { CheckReply } from "./reply";
import { poolClassUsed } from "./rules/pool-unit";
import { NEVER } from "./rules/rules";
import { rulesOf } from "./rules/rules-of";
import type { DescriptorState, LimitState, PoolState } from "./state";

/**
 * Every check of a command judged: in the order of targets and their limits, the state found
 * (alive, of the limit's shape, with no instant in the future) and the wait by the rules of its
 * kind.
 */
export interface Judged {
  readonly found: readonly (LimitState | null)[];
  readonly waitsMs: readonly number[];
  /** Whether no enforced limit refuses. */
  readonly isAdmissible: boolean;
}

/** Judges every limit of every target against its state. Changes nothing. */
export function judge(
  states: readonly DescriptorState[],
  targets: readonly LimitsTarget[],
  cost: FullCost,
  at: { readonly nowMs: Milliseconds; readonly serial: number },
): Judged {
  // Arrays of the exact size: one that grows reserves several times what a question needs.
  const checks = checkCount(targets);
  const found = new Array<LimitState | null>(checks);
  const waitsMs = new Array<number>(checks);
  let check = 0;
  let isAdmissible = true;
  for (let index = 0; index < targets.length; index += 1) {
    const { limits } = targets[index] as LimitsTarget;
    const chain = states[index] as DescriptorState;
    for (let place = 0; place < limits.length; place += 1) {
      const limit = limits[place] as CheckLimit;
      const state = chain === null ? null : find(chain, limit, at.nowMs, at.serial);
      const waitMs = rulesOf(limit).waitMs(limit, state as never, costFor(limit, cost), at.nowMs);
      if (waitMs !== 0 && limit.mode === "enforce") isAdmissible = false;
      found[check] = state;
      waitsMs[check] = waitMs;
      check += 1;
    }
  }
  return { found, waitsMs, isAdmissible };
}

/** How many checks a question has. */
function checkCount(targets: readonly LimitsTarget[]): number {
  let count = 0;
  for (let index = 0; index < targets.length; index += 1) {
    count += (targets[index] as LimitsTarget).limits.length;
  }
  return count;
}

/** The reply of a check that charged nothing. */
export function unchargedReply(
  limit: CheckLimit,
  state: LimitState | null,
  waitMs: number,
  nowMs: Milliseconds,
): CheckReply {
  const rules = rulesOf(limit);
  const reply = {
    passes: waitMs === 0,
    used: rules.used(limit, state as never, nowMs),
    resetAfterMs: rules.resetAfterMs(limit, state as never, nowMs),
    retryAfterMs: waitMs > 0 && waitMs !== NEVER ? waitMs : undefined,
    chargedAt: undefined,
    serial: 0,
  };
  return limit.kind === "pool-unit" ? withClassUse(reply, limit, state as PoolState | null) : reply;
}

/** The reply of a unit of a pool, which also says what the asking class has used. */
export function withClassUse(
  reply: CheckReply,
  limit: PoolUnitLimit,
  state: PoolState | null,
): CheckReply {
  return { ...reply, classUsed: poolClassUsed(limit, state) };
}

/** The replies of a command that charged nothing at all. */
export function unchargedReplies(
  targets: readonly LimitsTarget[],
  judged: Judged,
  nowMs: Milliseconds,
): CheckReply[] {
  const checks = new Array<CheckReply>(judged.found.length);
  let check = 0;
  for (let index = 0; index < targets.length; index += 1) {
    const { limits } = targets[index] as LimitsTarget;
    for (let place = 0; place < limits.length; place += 1) {
      const state = judged.found[check] as LimitState | null;
      const waitMs = judged.waitsMs[check] as number;
      checks[check] = unchargedReply(limits[place] as CheckLimit, state, waitMs, nowMs);
      check += 1;
    }
  }
  return checks;
}
