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
 *
 * Pure, unless the owner of the states passes `isInPlace`: then counters are written into the
 * objects that are there. A hot key would otherwise leave an object that has grown old behind for
 * every hit, and the collector pays for those.
 */
export function admit(
  states: readonly DescriptorState[],
  command: AdmitCommand,
  nowMs: Milliseconds,
  isInPlace = false,
): Transition<AdmitReply> {
  const { serial, operationId, targets } = command;
  // Slots and records add to the chain, whose owner has to see that it changed.
  const by: Charge = { nowMs, serial, operationId, isInPlace: isInPlace && operationId === "" };
  const judged = judge(states, targets, command.cost, by);
  if (command.undoableForMs !== undefined) {
    const told = toldBefore(states, command, judged, nowMs);
    if (told !== undefined) {
      return { states: broughtBack(states, targets, judged, nowMs), reply: told };
    }
  }
  return judged.isAdmissible
    ? charge(states, command, judged, by)
    : refuse(states, targets, judged, by);
}

function charge(
  states: readonly DescriptorState[],
  command: AdmitCommand,
  judged: Judged,
  by: Charge,
): Transition<AdmitReply> {
  const { targets, cost, undoableForMs } = command;
  const next = new Array<DescriptorState>(targets.length);
  const checks = new Array<CheckReply>(judged.found.length);
  let check = 0;
  let replaced: ReplacedState[] | undefined;
  for (let index = 0; index < targets.length; index += 1) {
    const { kind, id, limits } = targets[index] as LimitsTarget;
    const chain = states[index] as DescriptorState;
    const first = check;
    const written = new Array<LimitState>(limits.length);
    let writes = 0;
    for (let place = 0; place < limits.length; place += 1) {
      const limit = limits[place] as Limit;
      const state = judged.found[check] as LimitState | null;
      const waitMs = judged.waitsMs[check] as number;
      const units = costFor(limit, cost);
      if (waitMs !== 0 || units === 0) {
        checks[check] = unchargedReply(limit, state, waitMs, by.nowMs);
        check += 1;
        if (isAhead(chain, state)) {
          written[writes] = state as LimitState;
          writes += 1;
        }
        continue;
      }
      const charged = rulesOf(limit).charge(limit, state as never, units, by);
      written[writes] = charged;
      writes += 1;
      checks[check] = chargedReply(limit, charged, by);
      check += 1;
      if (state === null && isOfAnotherShape(chain, limit, by.nowMs)) {
        replaced ??= [];
        replaced.push({ kind, id, limit: limit.name });
      }
    }
    if (undoableForMs !== undefined) {
      written[writes] = withCharges(chain, command, checks.slice(first, check), index, by.nowMs);
      writes += 1;
    }
    // Setting a length costs more than the whole loop, so only where it differs.
    if (writes !== written.length) written.length = writes;
    next[index] = writes === 0 ? chain : withWrites(chain, written, by.nowMs);
  }
  const reply = { admitted: true, checks };
  return { states: next, reply: replaced === undefined ? reply : { ...reply, replaced } };
}

/** The reply of a check that was charged. */
function chargedReply(limit: Limit, charged: LimitState, by: Charge): CheckReply {
  const rules = rulesOf(limit);
  return {
    passes: true,
    used: rules.used(limit, charged as never, by.nowMs),
    resetAfterMs: rules.resetAfterMs(limit, charged as never, by.nowMs),
    retryAfterMs: undefined,
    chargedAt: rules.chargedAt(charged as never, by),
    serial: charged.serial,
  };
}

function refuse(
  states: readonly DescriptorState[],
  targets: readonly LimitsTarget[],
  judged: Judged,
  { nowMs }: Charge,
): Transition<AdmitReply> {
  const checks = unchargedReplies(targets, judged, nowMs);
  return {
    states: broughtBack(states, targets, judged, nowMs),
    reply: { admitted: false, checks },
  };
}

/** The states after what lay in the future has become now, and nothing was charged. */
function broughtBack(
  states: readonly DescriptorState[],
  targets: readonly LimitsTarget[],
  judged: Judged,
  nowMs: Milliseconds,
): readonly DescriptorState[] {
  let next = states;
  let check = 0;
  for (let index = 0; index < targets.length; index += 1) {
    const chain = states[index] as DescriptorState;
    const end = check + (targets[index] as LimitsTarget).limits.length;
    let ahead: LimitState[] | undefined;
    for (; check < end; check += 1) {
      const state = judged.found[check] as LimitState | null;
      if (!isAhead(chain, state)) continue;
      ahead ??= [];
      ahead.push(state as LimitState);
    }
    if (ahead !== undefined) next = next.with(index, withWrites(chain, ahead, nowMs));
  }
  return next;
}
