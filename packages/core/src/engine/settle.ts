import type { Milliseconds } from "../limit/limit";
import { withWrites } from "./chain";
import type { SettleCommand, SettleTarget } from "./command";
import { type ChainEdits, correct } from "./correct";
import { recordOf } from "./operation-records";
import { withRecord } from "./operations";
import type { DoneReply } from "./reply";
import type { Charge } from "./rules/rules";
import type { DescriptorState } from "./state";
import type { Transition } from "./transition";

/**
 * Corrects what a permit charged to what it really cost, and frees its slots. A refund goes only
 * into a window that is still the one charged; an extra charge goes there too, or else into the
 * current window as debt, opened now if none is open.
 *
 * A settlement that may be sent twice says so with `onceForMs`: a descriptor that has a record of
 * its operation has had it already.
 */
export function settle(
  states: readonly DescriptorState[],
  command: SettleCommand,
  nowMs: Milliseconds,
): Transition<DoneReply> {
  const { serial, operationId } = command;
  const by: Charge = { nowMs, serial, operationId, isInPlace: false };
  const next = command.targets.map((target, index) =>
    settleTarget(states[index] as DescriptorState, target, command, by),
  );
  return { states: next, reply: { done: true } };
}

function settleTarget(
  chain: DescriptorState,
  { corrections }: SettleTarget,
  { operationId, onceForMs }: SettleCommand,
  by: Charge,
): DescriptorState {
  const { nowMs } = by;
  const edits: ChainEdits = { written: [], removed: [] };
  if (onceForMs !== undefined) {
    if (recordOf(chain, operationId, nowMs) !== undefined) return chain;
    const record = { id: operationId, expiresAtMs: nowMs + onceForMs, charges: [] };
    edits.written.push(withRecord(chain, record, nowMs));
  }
  for (const correction of corrections) correct(chain, correction.limit, correction, by, edits);
  const { written, removed } = edits;
  const isChanged = written.length > 0 || removed.length > 0;
  return isChanged ? withWrites(chain, written, nowMs, removed) : chain;
}
