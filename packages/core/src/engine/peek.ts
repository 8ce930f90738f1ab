import type { Milliseconds } from "../limit/limit";
import type { PeekCommand } from "./command";
import { isAdmissible, judgeAll, unchargedReply } from "./judge";
import type { PeekReply } from "./reply";
import type { DescriptorState } from "./state";
import type { Transition } from "./transition";

/** What `admit` would answer now, without a charge. Returns the very states it was given. */
export function peek(
  states: readonly DescriptorState[],
  command: PeekCommand,
  nowMs: Milliseconds,
): Transition<PeekReply> {
  const judgements = judgeAll(states, command.targets, command.cost, { nowMs, serial: 0 });
  const checks = judgements.map((judgement) => unchargedReply(judgement, nowMs));
  return { states, reply: { admitted: isAdmissible(judgements), checks } };
}
