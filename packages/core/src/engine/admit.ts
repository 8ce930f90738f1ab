import type { CheckLimit, Milliseconds } from "../limit/limit";
import { isAhead, isOfAnotherShape, withWrites } from "./chain";
import type { AdmitCommand, LimitsTarget } from "./command";
import { costFor } from "./cost";
import { type Judged, judge, unchargedReplies, unchargedReply, withClassUse } from "./judge";
import { toldBefore, withCharges } from "./operations";
import { isWholePoolPassing, openedByRefusal, placeOfPool } from "./pools";
import type { AdmitReply, CheckReply, ReplacedState } from "./reply";
import type { Charge, LimitRules } from "./rules/rules";
import { rulesOf } from "./rules/rules-of";
import type { DescriptorState, LimitState, PoolState } from "./state";
import type { Transition } from "./transition";

/**
 * Judges every limit of every target at one instant, and charges all of them if no enforced one
 * refuses; otherwise nothing is charged anywhere. A shadow limit is charged when it would pass
 * itself. A check of cost 0 charges nothing.
 *
 * A refusal writes only where a stored instant lay in the future (the clock stepped back): those
 * become now, so that the step lengthens a window by at most its own length. And where a pool
 * without a window refuses, an empty one opens, since the wait that it tells counts from there.
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
      return { states: keptStates(states, targets, judged, by), reply: told };
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
      const limit = limits[place] as CheckLimit;
      let state = judged.found[check] as LimitState | null;
      const waitMs = judged.waitsMs[check] as number;
      const units = costFor(limit, cost);
      let isCharged = waitMs === 0 && units !== 0;
      let at = writes;
      // Read once: for limits of many kinds it is a slow look-up.
      const isUnit = limit.kind === "pool-unit";
      if (isUnit) {
        at = placeOfPool(written, writes, limit);
        if (at < writes) state = written[at] as LimitState;
        isCharged &&= isWholePoolPassing(limits, place, judged.waitsMs, check);
      }
      if (!isCharged) {
        checks[check] = unchargedReply(limit, state, waitMs, by.nowMs);
        check += 1;
        const kept = at < writes ? undefined : keptOf(chain, limit, state, waitMs, by);
        if (kept !== undefined) {
          written[writes] = kept;
          writes += 1;
        }
        continue;
      }
      const rules = rulesOf(limit);
      const charged = rules.charge(limit, state as never, units, by);
      written[at] = charged;
      if (at === writes) writes += 1;
      const reply = chargedReply(rules, limit, charged, by);
      checks[check] = isUnit ? withClassUse(reply, limit, charged as PoolState) : reply;
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
function chargedReply(
  rules: LimitRules<CheckLimit>,
  limit: CheckLimit,
  charged: LimitState,
  by: Charge,
): CheckReply {
  return {
    passes: true,
    used: rules.used(limit, charged as never, by.nowMs),
    resetAfterMs: rules.resetAfterMs(limit, charged as never, by.nowMs),
    retryAfterMs: undefined,
    chargedAt: rules.chargedAt(charged as never, by),
    serial: charged.serial,
  };
}

/**
 * What is written of a limit that is not charged: its state if that has been brought back from the
 * future, or the window that its refusal opens; usually nothing.
 */
function keptOf(
  chain: DescriptorState,
  limit: CheckLimit,
  state: LimitState | null,
  waitMs: number,
  by: Charge,
): LimitState | undefined {
  if (isAhead(chain, state)) return state as LimitState;
  if (waitMs === 0 || limit.kind !== "pool-unit") return undefined;
  return openedByRefusal(chain, limit, state, waitMs, by);
}

function refuse(
  states: readonly DescriptorState[],
  targets: readonly LimitsTarget[],
  judged: Judged,
  by: Charge,
): Transition<AdmitReply> {
  const checks = unchargedReplies(targets, judged, by.nowMs);
  return {
    states: keptStates(states, targets, judged, by),
    reply: { admitted: false, checks },
  };
}

/** The states after nothing was charged; see {@link keptOf}. */
function keptStates(
  states: readonly DescriptorState[],
  targets: readonly LimitsTarget[],
  judged: Judged,
  by: Charge,
): readonly DescriptorState[] {
  let next = states;
  let check = 0;
  for (let index = 0; index < targets.length; index += 1) {
    const chain = states[index] as DescriptorState;
    const { limits } = targets[index] as LimitsTarget;
    let written: LimitState[] | undefined;
    for (let place = 0; place < limits.length; place += 1) {
      const limit = limits[place] as CheckLimit;
      const state = judged.found[check] as LimitState | null;
      const waitMs = judged.waitsMs[check] as number;
      check += 1;
      // The usual case: no instant lies ahead, and a refusal opens a window only where none is.
      if (state !== null && !isAhead(chain, state)) continue;
      const kept = keptOf(chain, limit, state, waitMs, by);
      if (kept === undefined) continue;
      written ??= [];
      const isThere =
        limit.kind === "pool-unit" && placeOfPool(written, written.length, limit) < written.length;
      if (!isThere) written.push(kept);
    }
    if (written !== undefined) next = next.with(index, withWrites(chain, written, by.nowMs));
  }
  return next;
}
