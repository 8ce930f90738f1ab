import type { Milliseconds } from "../limit/limit";
import { find, isOfAnotherShape, withWrites } from "./chain";
import type { LeaseToRenew, RenewCommand } from "./command";
import type { LeaseFate, RenewedLease, RenewReply } from "./reply";
import { hasLiveLease, leaseExpiryMs, withLease } from "./rules/concurrency";
import type { ConcurrencyState, DescriptorState } from "./state";
import type { Transition } from "./transition";

/**
 * Prolongs leases to a full length from now. A lease that has expired is lost and stays lost, since
 * its slot may be another's by now. A lease that is missing although by what its holder was told it
 * has not expired was lost with the store's data, or was held through an outage: it is adopted,
 * even above `max`, and newcomers wait until the count is below it.
 */
export function renew(
  states: readonly DescriptorState[],
  command: RenewCommand,
  nowMs: Milliseconds,
): Transition<RenewReply> {
  const leases: RenewedLease[] = [];
  const next = command.targets.map((target, index) => {
    let chain = states[index] as DescriptorState;
    for (const lease of target.leases) {
      const { limit, operationId } = lease;
      const state = find(chain, limit, nowMs, command.serial);
      const fate = isOfAnotherShape(chain, limit, nowMs) ? "lost" : fateOf(state, lease, nowMs);
      if (fate === "lost") {
        leases.push({ fate, expiresAtMs: nowMs });
        continue;
      }
      const node = withLease(limit, state, operationId, { nowMs });
      leases.push({ fate, expiresAtMs: leaseExpiryMs(node, operationId) });
      chain = withWrites(chain, [node], nowMs);
    }
    return chain;
  });
  return { states: next, reply: { leases } };
}

function fateOf(state: ConcurrencyState | null, lease: LeaseToRenew, nowMs: number): LeaseFate {
  if (hasLiveLease(state, lease.operationId, nowMs)) return "renewed";
  return lease.expiresAtMs > nowMs ? "adopted" : "lost";
}
