import type { ConcurrencyLimit, Milliseconds } from "../limit/limit";
import { find, isAhead, withWrites } from "./chain";
import type { ReleaseCommand } from "./command";
import type { DoneReply } from "./reply";
import { withoutLease } from "./rules/concurrency";
import type { DescriptorState, LimitState } from "./state";
import type { Transition } from "./transition";

/** Frees the slots of a permit, by its lease id. An unknown or expired id changes nothing. */
export function release(
  states: readonly DescriptorState[],
  command: ReleaseCommand,
  nowMs: Milliseconds,
): Transition<DoneReply> {
  const next = command.targets.map(({ limits }, index) => {
    const chain = states[index] as DescriptorState;
    const written: LimitState[] = [];
    const removed: ConcurrencyLimit[] = [];
    for (const limit of limits) {
      const state = find(chain, limit, nowMs, 0);
      if (state === null) continue;
      const left = withoutLease(state, command.operationId, nowMs);
      if (left === null) removed.push(limit);
      else if (left !== state || isAhead(chain, state)) written.push(left);
    }
    const isChanged = written.length > 0 || removed.length > 0;
    return isChanged ? withWrites(chain, written, nowMs, removed) : chain;
  });
  return { states: next, reply: { done: true } };
}
