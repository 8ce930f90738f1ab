import type { Milliseconds } from "../limit/limit";
import { withWrites } from "./chain";
import type { UndoCommand } from "./command";
import { type ChainEdits, correct } from "./correct";
import { recordOf } from "./operation-records";
import { chargeOf, withRecord } from "./operations";
import type { UndoReply } from "./reply";
import type { Charge } from "./rules/rules";
import type { DescriptorState } from "./state";
import type { Transition } from "./transition";

/**
 * Takes back by id what an undoable `admit` charged. Leaves a tombstone in every case, so that an
 * `admit` of this id that is still under way is refused when it arrives, and a second undo finds
 * nothing to take back.
 */
export function undo(
  states: readonly DescriptorState[],
  command: UndoCommand,
  nowMs: Milliseconds,
): Transition<UndoReply> {
  const { operationId, serial, tombstoneMs } = command;
  const by: Charge = { nowMs, serial, operationId, isInPlace: false };
  const undone: boolean[] = [];
  const next = command.targets.map(({ limits }, index) => {
    const chain = states[index] as DescriptorState;
    const record = recordOf(chain, operationId, nowMs);
    undone.push(record !== undefined && record.charges !== null);
    const tombstone = { id: operationId, expiresAtMs: nowMs + tombstoneMs, charges: null };
    const edits: ChainEdits = { written: [withRecord(chain, tombstone, nowMs)], removed: [] };
    for (const limit of limits) {
      const charge = chargeOf(record, limit);
      if (charge === undefined) continue;
      correct(chain, limit, { ...charge, charged: charge.amount, actual: 0 }, by, edits);
    }
    return withWrites(chain, edits.written, nowMs, edits.removed);
  });
  return { states: next, reply: { undone } };
}
