import type { Milliseconds } from "../limit/limit";
import { find, type Write, withWrites } from "./chain";
import type { UndoCommand } from "./command";
import { OPERATIONS_NAME, recordOf, withRecord } from "./operations";
import type { UndoReply } from "./reply";
import type { Charge } from "./rules/rules";
import { rulesOf } from "./rules/rules-of";
import type { DescriptorState, RecordedCharge } from "./state";
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
  const by: Charge = { nowMs, serial, operationId };
  const undone: boolean[] = [];
  const next = command.targets.map((_target, index) => {
    const chain = states[index] ?? null;
    const charges = recordOf(chain, operationId, nowMs)?.charges ?? null;
    undone.push(charges !== null);
    const writes = (charges ?? [])
      .map((charge) => takenBack(chain, charge, by))
      .filter((write) => write !== undefined);
    const tombstone = { id: operationId, expiresAtMs: nowMs + tombstoneMs, charges: null };
    writes.push({ name: OPERATIONS_NAME, node: withRecord(chain, tombstone, nowMs) });
    return withWrites(chain, writes, nowMs);
  });
  return { states: next, reply: { undone } };
}

function takenBack(chain: DescriptorState, charge: RecordedCharge, by: Charge): Write | undefined {
  const { limit, amount, chargedAt, serial } = charge;
  const { state } = find(chain, limit, by.nowMs, by.serial);
  if (state === null) return undefined;
  const change = { charged: amount, actual: 0, chargedAt, serial };
  const node = rulesOf(limit).correct(limit, state, change, by);
  return node === state ? undefined : { name: limit.name, node };
}
