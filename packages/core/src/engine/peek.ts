import type { Milliseconds } from "../limit/limit";
import type { PeekCommand } from "./command";
import { judge, unchargedReplies } from "./judge";
import type { PeekReply } from "./reply";
import type { DescriptorState } from "./state";
import type { Transition } from "./transition";

/** What `admit` would answer now, without a charge. Returns the very states it was given. */
export function peek(
  states: readonly DescriptorState[],
  command: PeekCommand,
  nowMs: Milliseconds,
): Transition<PeekReply> {
  const judged = judge(states, command.targets, command.cost, { nowMs, serial: 0 });
  const checks = unchargedReplies(command.targets, judged, nowMs);
  return { states, reply: { admitted: judged.isAdmissible, checks } };
}
