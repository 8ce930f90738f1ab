import type { Milliseconds } from "../limit/limit";
import { find, isOfAnotherShape, withWrites } from "./chain";
import type { RenewCommand, RenewTarget } from "./command";
import type { LeaseFate, RenewedLease, RenewReply } from "./reply";
import { hasLiveLease, leaseExpiryMs, withLease } from "./rules/concurrency";
import type { ConcurrencyState, DescriptorState } from "./state";
import type { Transition } from "./transition";

/**
 * Prolongs leases to a full length from now. A lease that has expired is lost and stays lost, since
 * its slot may be another's by now. A lease that is missing although it has not expired was lost with
 * the store's data: it is adopted again, even above `max`, and newcomers wait until the count is
 * below it.
 */
export function renew(
  states: readonly DescriptorState[],
  command: RenewCommand,
  nowMs: Milliseconds,
): Transition<RenewReply> {
  const leases: RenewedLease[] = [];
  const next = [...states];
  const chains = chainsByKey(states, command);
  for (const target of command.targets) {
    const { key, limit, operationId } = target;
    const chain = chains.get(key) ?? null;
    const state = find(chain, limit, nowMs, command.serial);
    const isReplaced = isOfAnotherShape(chain, limit, nowMs);
    const fate = isReplaced ? "lost" : fateOf(state, target, nowMs);
    if (fate === "lost") {
      leases.push({ fate, expiresAtMs: nowMs });
      continue;
    }
    const node = withLease(limit, state, operationId, { nowMs, serial: command.serial });
    leases.push({ fate, expiresAtMs: leaseExpiryMs(node, operationId) });
    chains.set(key, withWrites(chain, [node], nowMs));
  }
  for (const [index, { key }] of command.targets.entries()) next[index] = chains.get(key) ?? null;
  return { states: next, reply: { leases } };
}

function fateOf(state: ConcurrencyState | null, target: RenewTarget, nowMs: number): LeaseFate {
  if (hasLiveLease(state, target.operationId, nowMs)) return "renewed";
  const isStored = state?.ids.includes(target.operationId) === true;
  return !isStored && target.expiresAtMs > nowMs ? "adopted" : "lost";
}

/** Several leases of one command may stand under one key: they are applied one after the other. */
function chainsByKey(
  states: readonly DescriptorState[],
  command: RenewCommand,
): Map<string, DescriptorState> {
  return new Map(command.targets.map(({ key }, index) => [key, states[index] ?? null]));
}
