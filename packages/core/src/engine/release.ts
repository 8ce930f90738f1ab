import type { ConcurrencyLimit, Milliseconds } from "../limit/limit";
import { find, type Write, withWrites } from "./chain";
import type { ReleaseCommand } from "./command";
import type { DoneReply } from "./reply";
import { withoutLease } from "./rules/concurrency";
import type { DescriptorState } from "./state";
import type { Transition } from "./transition";

/** Frees the slots of a permit, by its lease id. An unknown or expired id changes nothing. */
export function release(
  states: readonly DescriptorState[],
  command: ReleaseCommand,
  nowMs: Milliseconds,
): Transition<DoneReply> {
  const next = command.targets.map(({ limits }, index) => {
    const chain = states[index] ?? null;
    const writes = limits
      .map((limit) => freed(chain, limit, command.operationId, nowMs))
      .filter((write) => write !== undefined);
    return writes.length === 0 ? chain : withWrites(chain, writes, nowMs);
  });
  return { states: next, reply: { done: true } };
}

function freed(
  chain: DescriptorState,
  limit: ConcurrencyLimit,
  operationId: string,
  nowMs: Milliseconds,
): Write | undefined {
  const { state, isAhead } = find(chain, limit, nowMs, 0);
  if (state === null) return undefined;
  const left = withoutLease(state, operationId, nowMs);
  return left === state && !isAhead ? undefined : { name: limit.name, node: left };
}
