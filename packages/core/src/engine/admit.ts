import type { Limit, Milliseconds } from "../limit/limit";
import { isAhead, isOfAnotherShape, withWrites } from "./chain";
import type { AdmitCommand, LimitsTarget } from "./command";
import { costFor } from "./cost";
import { type Judged, judge, unchargedReplies, unchargedReply } from "./judge";
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
  const judged = judge(states, command.targets, command.cost, by);
  return judged.isAdmissible
    ? charge(states, command, judged, by)
    : refuse(states, command.targets, judged, by);
}

function charge(
  states: readonly DescriptorState[],
  command: AdmitCommand,
  judged: Judged,
  by: Charge,
): Transition<AdmitReply> {
  const { targets, cost, undoableForMs } = command;
  const next: DescriptorState[] = [];
  const checks: CheckReply[] = [];
  let replaced: ReplacedState[] | undefined;
  for (let index = 0; index < targets.length; index += 1) {
    const { kind, id, limits } = targets[index] as LimitsTarget;
    const chain = states[index] as DescriptorState;
    const first = checks.length;
    const written: LimitState[] = [];
    for (let place = 0; place < limits.length; place += 1) {
      const limit = limits[place] as Limit;
      const state = judged.found[first + place] as LimitState | null;
      const waitMs = judged.waitsMs[first + place] as number;
      const units = costFor(limit, cost);
      if (waitMs !== 0 || units === 0) {
        checks.push(unchargedReply(limit, state, waitMs, by.nowMs));
        if (isAhead(chain, state)) written.push(state as LimitState);
        continue;
      }
      written.push(chargeOne(limit, state, units, by, checks));
      if (state === null && isOfAnotherShape(chain, limit, by.nowMs)) {
        replaced ??= [];
        replaced.push({ kind, id, limit: limit.name });
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
function chargeOne(
  limit: Limit,
  state: LimitState | null,
  units: number,
  by: Charge,
  checks: CheckReply[],
): LimitState {
  const rules = rulesOf(limit);
  const charged = rules.charge(limit, state as never, units, by);
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
  judged: Judged,
  { nowMs }: Charge,
): Transition<AdmitReply> {
  const checks = unchargedReplies(targets, judged, nowMs);
  let next = states;
  let place = 0;
  for (let index = 0; index < targets.length; index += 1) {
    const chain = states[index] as DescriptorState;
    const { limits } = targets[index] as LimitsTarget;
    const ahead = judged.found
      .slice(place, place + limits.length)
      .filter((state) => isAhead(chain, state)) as LimitState[];
    if (ahead.length > 0) next = next.with(index, withWrites(chain, ahead, nowMs));
    place += limits.length;
  }
  return { states: next, reply: { admitted: false, checks } };
}
