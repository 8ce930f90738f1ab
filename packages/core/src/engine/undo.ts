import type { Milliseconds } from "../limit/limit";
import { find, withWrites } from "./chain";
import type { UndoCommand } from "./command";
import { recordOf } from "./operation-records";
import { withRecord } from "./operations";
import type { UndoReply } from "./reply";
import type { Charge } from "./rules/rules";
import { rulesOf } from "./rules/rules-of";
import type { DescriptorState, LimitState } from "./state";
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
  const next = command.targets.map((_target, index) => {
    const chain = states[index] ?? null;
    const charges = recordOf(chain, operationId, nowMs)?.charges ?? null;
    undone.push(charges !== null);
    const tombstone = { id: operationId, expiresAtMs: nowMs + tombstoneMs, charges: null };
    const written: LimitState[] = [withRecord(chain, tombstone, nowMs)];
    const removed: string[] = [];
    for (const { limit, amount, chargedAt, serial: chargedSerial } of charges ?? []) {
      const state = find(chain, limit, nowMs, serial);
      const change = { charged: amount, actual: 0, chargedAt, serial: chargedSerial };
      const corrected = rulesOf(limit).correct(limit, state as never, change, by);
      if (corrected === null) removed.push(limit.name);
      else if (corrected !== state) written.push(corrected);
    }
    return withWrites(chain, written, nowMs, removed);
  });
  return { states: next, reply: { undone } };
}
