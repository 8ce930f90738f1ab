import type { CheckLimit, Milliseconds } from "../limit/limit";
import type { AdmitCommand, LimitsTarget } from "./command";
import { costFor } from "./cost";
import { type Judged, unchargedReplies } from "./judge";
import { chargeName, liveRecords, OPERATIONS, recordOf } from "./operation-records";
import type { AdmitReply, CheckReply } from "./reply";
import type { DescriptorState, OperationRecord, OperationsState, RecordedCharge } from "./state";

/** The records of a descriptor after one was entered or replaced; expired ones are dropped. */
export function withRecord(
  chain: DescriptorState,
  record: OperationRecord,
  nowMs: Milliseconds,
): OperationsState {
  const others = liveRecords(chain, nowMs).filter(({ id }) => id !== record.id);
  return { limit: OPERATIONS, next: null, serial: 0, records: [...others, record] };
}

/** The records after an undoable `admit` charged the limits of its target as `checks` says. */
export function withCharges(
  chain: DescriptorState,
  command: AdmitCommand,
  checks: readonly CheckReply[],
  index: number,
  nowMs: Milliseconds,
): OperationsState {
  const { limits } = command.targets[index] as LimitsTarget;
  const charges: RecordedCharge[] = [];
  for (const [place, { chargedAt, serial }] of checks.entries()) {
    const limit = limits[place] as CheckLimit;
    if (chargedAt === undefined) continue;
    const amount = costFor(limit, command.cost);
    charges.push({ name: chargeName(limit), isSlot: isSlot(limit), amount, chargedAt, serial });
  }
  const expiresAtMs = nowMs + (command.undoableForMs as Milliseconds);
  return withRecord(chain, { id: command.operationId, expiresAtMs, charges }, nowMs);
}

/**
 * The reply of an operation that is known already: undone before it arrived, and so refused; or
 * executed, and so told again without a second charge. `undefined` if it is new.
 */
export function toldBefore(
  states: readonly DescriptorState[],
  command: AdmitCommand,
  judged: Judged,
  nowMs: Milliseconds,
): AdmitReply | undefined {
  const records = states.map((state) => recordOf(state, command.operationId, nowMs));
  const isUndone = records.some((record) => record?.charges === null);
  if (!isUndone && records.some((record) => record === undefined)) return undefined;
  const checks = unchargedReplies(command.targets, judged, nowMs);
  if (isUndone) return { admitted: false, checks, undone: true };
  let place = 0;
  for (const [index, { limits }] of command.targets.entries()) {
    for (const limit of limits) {
      const charge = chargeOf(records[index], limit);
      const check = checks[place] as CheckReply;
      if (charge !== undefined) checks[place] = chargedAgain(check, charge);
      place += 1;
    }
  }
  return { admitted: true, checks };
}

/** What an operation on record charged to a limit; `undefined` if nothing. */
export function chargeOf(
  record: OperationRecord | undefined,
  limit: CheckLimit,
): RecordedCharge | undefined {
  const name = chargeName(limit);
  return record?.charges?.find((each) => each.name === name && each.isSlot === isSlot(limit));
}

function isSlot({ kind }: CheckLimit): boolean {
  return kind === "concurrency";
}

function chargedAgain(check: CheckReply, { chargedAt, serial }: RecordedCharge): CheckReply {
  return { ...check, passes: true, retryAfterMs: undefined, chargedAt, serial };
}
