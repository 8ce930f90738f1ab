import type { Milliseconds } from "../limit/limit";
import { find, isAhead, isOfAnotherShape, withWrites } from "./chain";
import type { Correction, SettleCommand } from "./command";
import type { DoneReply } from "./reply";
import type { Charge } from "./rules/rules";
import { rulesOf } from "./rules/rules-of";
import type { DescriptorState, LimitState } from "./state";
import type { Transition } from "./transition";

/**
 * Corrects what a permit charged to what it really cost, and frees its slots. A refund goes only
 * into a window that is still the one charged; an extra charge goes there too, or else into the
 * current window as debt, opened now if none is open.
 */
export function settle(
  states: readonly DescriptorState[],
  command: SettleCommand,
  nowMs: Milliseconds,
): Transition<DoneReply> {
  const by: Charge = {
    nowMs,
    serial: command.serial,
    operationId: command.operationId,
    isInPlace: false,
  };
  const next = command.targets.map(({ corrections }, index) => {
    const chain = states[index] as DescriptorState;
    const written: LimitState[] = [];
    const removed: string[] = [];
    for (const correction of corrections) correct(chain, correction, by, written, removed);
    const isChanged = written.length > 0 || removed.length > 0;
    return isChanged ? withWrites(chain, written, nowMs, removed) : chain;
  });
  return { states: next, reply: { done: true } };
}

function correct(
  chain: DescriptorState,
  correction: Correction,
  by: Charge,
  written: LimitState[],
  removed: string[],
): void {
  const { limit, charged, actual } = correction;
  // State of another shape under this name belongs to a limit that came later: leave it alone.
  if (charged === actual || isOfAnotherShape(chain, limit, by.nowMs)) return;
  const state = find(chain, limit, by.nowMs, by.serial);
  const corrected = rulesOf(limit).correct(limit, state as never, correction, by);
  if (corrected === null) {
    if (state !== null) removed.push(limit.name);
  } else if (corrected !== state || isAhead(chain, state)) {
    written.push(corrected);
  }
}
