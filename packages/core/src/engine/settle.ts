import type { Milliseconds } from "../limit/limit";
import { find, type Write, withWrites } from "./chain";
import type { Correction, SettleCommand } from "./command";
import type { DoneReply } from "./reply";
import type { Charge } from "./rules/rules";
import { rulesOf } from "./rules/rules-of";
import type { DescriptorState } from "./state";
import type { Transition } from "./transition";

/**
 * Corrects what a permit charged to what it really cost, and frees its slots. A refund goes only into
 * a window that is still the one charged; an extra charge goes there too, or else into the current
 * window as debt, opened now if none is open.
 */
export function settle(
  states: readonly DescriptorState[],
  command: SettleCommand,
  nowMs: Milliseconds,
): Transition<DoneReply> {
  const by: Charge = { nowMs, serial: command.serial, operationId: command.operationId };
  const next = command.targets.map(({ corrections }, index) => {
    const chain = states[index] ?? null;
    const writes = corrections
      .map((correction) => correct(chain, correction, by))
      .filter((write) => write !== undefined);
    return writes.length === 0 ? chain : withWrites(chain, writes, nowMs);
  });
  return { states: next, reply: { done: true } };
}

function correct(chain: DescriptorState, correction: Correction, by: Charge): Write | undefined {
  const { limit, charged, actual } = correction;
  if (charged === actual) return undefined;
  const { state, isAhead, isReplaced } = find(chain, limit, by.nowMs, by.serial);
  // State of another shape under this name belongs to a limit that came later: leave it alone.
  if (isReplaced) return undefined;
  const corrected = rulesOf(limit).correct(limit, state, correction, by);
  if (corrected === state && !isAhead) return undefined;
  return { name: limit.name, node: corrected };
}
