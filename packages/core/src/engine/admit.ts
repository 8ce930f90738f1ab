import type { Milliseconds } from "../limit/limit";
import { type Write, withWrites } from "./chain";
import type { AdmitCommand, LimitsTarget } from "./command";
import { type Judgement, judgeTarget, refuses, unchargedReply } from "./judge";
import { OPERATIONS_NAME, recordOf, withRecord } from "./operations";
import type { AdmitReply, CheckReply, ReplacedState } from "./reply";
import type { Charge } from "./rules/rules";
import { rulesOf } from "./rules/rules-of";
import type { DescriptorState, LimitState, OperationRecord, RecordedCharge } from "./state";
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
  const { targets, operationId, undoableForMs } = command;
  if (undoableForMs !== undefined) {
    const records = states.map((state) => recordOf(state, operationId, nowMs));
    if (records.some((record) => record?.charges === null))
      return undoneBefore(states, command, nowMs);
    if (records.every((record) => record !== undefined))
      return replay(states, command, records, nowMs);
  }
  const by: Charge = { nowMs, serial: command.serial, operationId };
  const judged = targets.map((target, index) =>
    judgeTarget(states[index] ?? null, target, command.cost, by),
  );
  const isAdmitted = !judged.some((judgements) => judgements.some(refuses));
  const checks: CheckReply[] = [];
  const next = judged.map((judgements, index) => {
    const charges: RecordedCharge[] = [];
    const writes = judgements
      .map((judgement) => execute(judgement, isAdmitted, by, checks, charges))
      .filter((write) => write !== undefined);
    const chain = states[index] ?? null;
    if (isAdmitted && undoableForMs !== undefined) {
      const record = { id: operationId, expiresAtMs: nowMs + undoableForMs, charges };
      writes.push({ name: OPERATIONS_NAME, node: withRecord(chain, record, nowMs) });
    }
    return writes.length === 0 ? chain : withWrites(chain, writes, nowMs);
  });
  const replaced = isAdmitted ? replacedIn(targets, judged) : [];
  const reply = { admitted: isAdmitted, checks };
  return { states: next, reply: replaced.length === 0 ? reply : { ...reply, replaced } };
}

/** Charges one check if it is to be, and enters its reply; what is to be written, if anything. */
function execute(
  judgement: Judgement,
  isAdmitted: boolean,
  by: Charge,
  checks: CheckReply[],
  charges: RecordedCharge[],
): Write | undefined {
  const { limit, cost, state, isAhead, waitMs } = judgement;
  if (!isAdmitted || waitMs !== 0 || cost === 0) {
    checks.push(unchargedReply(judgement, by.nowMs));
    return isAhead ? { name: limit.name, node: state } : undefined;
  }
  const rules = rulesOf(limit);
  const charged: LimitState = rules.charge(limit, state as never, cost, by);
  const chargedAt = rules.chargedAt(charged as never, by);
  checks.push({
    passes: true,
    used: rules.used(limit, charged as never, by.nowMs),
    resetAfterMs: rules.resetAfterMs(limit, charged as never, by.nowMs),
    retryAfterMs: undefined,
    chargedAt,
    serial: charged.serial,
  });
  charges.push({ limit, amount: cost, chargedAt, serial: charged.serial });
  return { name: limit.name, node: charged };
}

function replacedIn(
  targets: readonly LimitsTarget[],
  judged: readonly (readonly Judgement[])[],
): ReplacedState[] {
  return judged.flatMap((judgements, index) =>
    judgements
      .filter(({ isReplaced, waitMs, cost }) => isReplaced && waitMs === 0 && cost > 0)
      .map(({ limit }) => ({ key: targets[index]?.key ?? "", limit: limit.name })),
  );
}

/** The operation was undone before it arrived: it is refused and charges nothing. */
function undoneBefore(
  states: readonly DescriptorState[],
  command: AdmitCommand,
  nowMs: Milliseconds,
): Transition<AdmitReply> {
  const at = { nowMs, serial: command.serial };
  const checks = command.targets.flatMap((target, index) =>
    judgeTarget(states[index] ?? null, target, command.cost, at).map((judgement) =>
      unchargedReply(judgement, nowMs),
    ),
  );
  return { states, reply: { admitted: false, checks, undone: true } };
}

/** The operation arrives a second time: the first outcome is told again, and nothing is charged. */
function replay(
  states: readonly DescriptorState[],
  command: AdmitCommand,
  records: readonly (OperationRecord | undefined)[],
  nowMs: Milliseconds,
): Transition<AdmitReply> {
  const at = { nowMs, serial: command.serial };
  const checks = command.targets.flatMap((target, index) =>
    judgeTarget(states[index] ?? null, target, command.cost, at).map((judgement) => {
      const charge = records[index]?.charges?.find(
        ({ limit }) => limit.name === judgement.limit.name,
      );
      const reply = unchargedReply(judgement, nowMs);
      if (charge === undefined) return reply;
      const { chargedAt, serial } = charge;
      return { ...reply, passes: true, retryAfterMs: undefined, chargedAt, serial };
    }),
  );
  return { states, reply: { admitted: true, checks } };
}
