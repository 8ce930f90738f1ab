import type { Milliseconds } from "../limit/limit";
import type { DescriptorState, OperationRecord, OperationsLimit, OperationsState } from "./state";

/*
 * Records of undoable operations: what each charged to this descriptor, kept for as long as an undo
 * may come; or a tombstone (`charges: null`), which refuses an admit that arrives after its undo. They
 * exist because a blind subtraction of a charge that may never have happened over-admits.
 */

const OPERATIONS: OperationsLimit = { kind: "operations", name: "#operations" };

/** The name under which the records stand in a chain. */
export const OPERATIONS_NAME = OPERATIONS.name;

/** The instant from which no record matters any more. */
export function operationsExpireAtMs(state: OperationsState): Milliseconds {
  return state.records.reduce((latest, { expiresAtMs }) => Math.max(latest, expiresAtMs), 0);
}

/** The live record of an operation, or `undefined`. */
export function recordOf(
  chain: DescriptorState,
  operationId: string,
  nowMs: Milliseconds,
): OperationRecord | undefined {
  return liveRecords(chain, nowMs).find(({ id }) => id === operationId);
}

/** The records after one was entered or replaced; expired ones are dropped. */
export function withRecord(
  chain: DescriptorState,
  record: OperationRecord,
  nowMs: Milliseconds,
): OperationsState {
  const others = liveRecords(chain, nowMs).filter(({ id }) => id !== record.id);
  return { limit: OPERATIONS, next: null, serial: 0, records: [...others, record] };
}

function liveRecords(chain: DescriptorState, nowMs: Milliseconds): readonly OperationRecord[] {
  for (let node = chain; node !== null; node = node.next) {
    if (node.limit.kind !== "operations") continue;
    return (node as OperationsState).records.filter(({ expiresAtMs }) => expiresAtMs > nowMs);
  }
  return [];
}
