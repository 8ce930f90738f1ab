import type { Milliseconds } from "../limit/limit";
import { isAhead, isOfAnotherShape, withWrites } from "./chain";
import type { AdmitCommand, LimitsTarget } from "./command";
import { isAdmissible, type Judgement, judgeAll, unchargedReply } from "./judge";
import { toldBefore, withCharges } from "./operations";
import type { AdmitReply, CheckReply, ReplacedState } from "./reply";
import type { Charge } from "./rules/rules";
import { rulesOf } from "./rules/rules-of";
import type { DescriptorState, LimitState } from "./state";
import type { Transition } from "./transition";

/**
 * Judges every limit of every target at one instant, and charges all of them if no enforced one
 * refuses; otherwise nothing is charged anywhere. A shadow limit is charged when it would pass
 * itself. A check of cost 0 charges nothing.
 *
 * A refusal writes only where a stored instant lay in the future (the clock stepped back): those
 * become now, so that the step lengthens a window by at most its own length.
 */
export function admit(
  states: readonly DescriptorState[],
  command: AdmitCommand,
  nowMs: Milliseconds,
): Transition<AdmitReply> {
  if (command.undoableForMs !== undefined) {
    const told = toldBefore(states, command, nowMs);
    if (told !== undefined) return { states, reply: told };
  }
  const by: Charge = { nowMs, serial: command.serial, operationId: command.operationId };
  const judgements = judgeAll(states, command.targets, command.cost, by);
  return isAdmissible(judgements)
    ? charge(states, command, judgements, by)
    : refuse(states, command.targets, judgements, by);
}

function charge(
  states: readonly DescriptorState[],
  command: AdmitCommand,
  judgements: readonly Judgement[],
  by: Charge,
): Transition<AdmitReply> {
  const { targets, undoableForMs } = command;
  const next: DescriptorState[] = [];
  const checks: CheckReply[] = [];
  let replaced: ReplacedState[] | undefined;
  for (let index = 0; index < targets.length; index += 1) {
    const { key, limits } = targets[index] as LimitsTarget;
    const chain = states[index] as DescriptorState;
    const first = checks.length;
    const written: LimitState[] = [];
    for (let place = 0; place < limits.length; place += 1) {
      const judgement = judgements[first + place] as Judgement;
      const { limit, state } = judgement;
      const isCharged = judgement.waitMs === 0 && judgement.cost > 0;
      if (isCharged) {
        written.push(chargeOne(judgement, by, checks));
        if (state === null && isOfAnotherShape(chain, limit, by.nowMs)) {
          replaced ??= [];
          replaced.push({ key, limit: limit.name });
        }
      } else {
        checks.push(unchargedReply(judgement, by.nowMs));
        if (isAhead(chain, state)) written.push(state as LimitState);
      }
    }
    if (undoableForMs !== undefined) {
      written.push(withCharges(chain, command, checks.slice(first), index, by.nowMs));
    }
    next.push(written.length === 0 ? chain : withWrites(chain, written, by.nowMs));
  }
  const reply = { admitted: true, checks };
  return { states: next, reply: replaced === undefined ? reply : { ...reply, replaced } };
}

/** Charges one check and enters its reply. */
function chargeOne(judgement: Judgement, by: Charge, checks: CheckReply[]): LimitState {
  const { limit, cost, state } = judgement;
  const rules = rulesOf(limit);
  const charged = rules.charge(limit, state as never, cost, by);
  checks.push({
    passes: true,
    used: rules.used(limit, charged, by.nowMs),
    resetAfterMs: rules.resetAfterMs(limit, charged, by.nowMs),
    retryAfterMs: undefined,
    chargedAt: rules.chargedAt(charged, by),
    serial: charged.serial,
  });
  return charged;
}

function refuse(
  states: readonly DescriptorState[],
  targets: readonly LimitsTarget[],
  judgements: readonly Judgement[],
  by: Charge,
): Transition<AdmitReply> {
  const checks = judgements.map((judgement) => unchargedReply(judgement, by.nowMs));
  let place = 0;
  const next = targets.map(({ limits }, index) => {
    const chain = states[index] as DescriptorState;
    const written: LimitState[] = [];
    for (const { state } of judgements.slice(place, place + limits.length)) {
      if (isAhead(chain, state)) written.push(state as LimitState);
    }
    place += limits.length;
    return written.length === 0 ? chain : withWrites(chain, written, by.nowMs);
  });
  return { states: next, reply: { admitted: false, checks } };
}
