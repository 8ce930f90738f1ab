import type { Milliseconds } from "../limit/limit";
import { withWrites } from "./chain";
import type { ResetCommand } from "./command";
import type { DoneReply } from "./reply";
import type { DescriptorState, LimitState } from "./state";
import type { Transition } from "./transition";

/**
 * Forgets every counter of the targets. Leases stay: they stand for work that is running, and
 * forgetting them would admit more beside it. Operation records stay too, so that an undo under way
 * still finds its tombstone.
 */
export function reset(
  states: readonly DescriptorState[],
  _command: ResetCommand,
  nowMs: Milliseconds,
): Transition<DoneReply> {
  const next = states.map((state) => withoutCounters(state, nowMs));
  return { states: next, reply: { done: true } };
}

function withoutCounters(chain: DescriptorState, nowMs: Milliseconds): DescriptorState {
  const removed: LimitState["limit"][] = [];
  for (let node = chain; node !== null; node = node.next) {
    const isCounter = node.limit.kind !== "concurrency" && node.limit.kind !== "operations";
    if (isCounter) removed.push(node.limit);
  }
  return withWrites(chain, [], nowMs, removed);
}
