import type { CheckLimit, Milliseconds } from "../limit/limit";
import type { DescriptorState, OperationRecord, OperationsLimit, OperationsState } from "./state";

/*
 * Records of undoable operations: what each charged to this descriptor, kept for as long as an undo
 * may come; or a tombstone (`charges: null`), which refuses an admit that arrives after its undo.
 * They exist because a blind subtraction of a charge that may never have happened over-admits.
 */

/** The pseudo limit of the records in a chain. */
export const OPERATIONS: OperationsLimit = { kind: "operations", name: "#operations" };

/** Under which name a charge to a limit is on record: the units of a pool share theirs. */
export function chargeName(limit: CheckLimit): string {
  return limit.kind === "pool-unit" ? `${limit.name}#${limit.unit}` : limit.name;
}

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

/** The records that still matter. */
export function liveRecords(
  chain: DescriptorState,
  nowMs: Milliseconds,
): readonly OperationRecord[] {
  for (let node = chain; node !== null; node = node.next) {
    if (node.limit.kind !== "operations") continue;
    return (node as OperationsState).records.filter(({ expiresAtMs }) => expiresAtMs > nowMs);
  }
  return [];
}
