import type { Descriptor } from "../descriptor/descriptor";
import type { AdmitCommand } from "../engine/command";
import type { AdmitReply, CheckReply, PeekReply } from "../engine/reply";
import type { LimitStatus } from "../verdict/verdict";
import { withPools } from "./pool-statuses";
import { localStatusesOf, statusesOf } from "./statuses";

/**
 * Where the limits of a question stand, by what was answered to its command. Of limits of which
 * nothing is known there is no status.
 */
export function statusesIn(
  descriptors: readonly Descriptor[],
  { targets, cost }: Pick<AdmitCommand, "targets" | "cost">,
  reply: PeekReply & Pick<AdmitReply, "unknown">,
): readonly LimitStatus[] {
  const { checks, localParts, unknown } = reply;
  const asked = statusesOf(descriptors, targets, checks);
  const statuses = localParts === undefined ? asked : localStatusesOf(asked, localParts);
  const all = hasPools(checks) ? withPools(statuses, targets, reply, cost) : statuses;
  return unknown === undefined ? all : all.filter((_, place) => !unknown.includes(place));
}

/**
 * Only of a unit of a pool the use of a class is told. Written as a loop over objects of one shape:
 * every verdict comes by here, and usually there is none.
 */
function hasPools(checks: readonly CheckReply[]): boolean {
  for (let index = 0; index < checks.length; index += 1) {
    if ((checks[index] as CheckReply).classUsed !== undefined) return true;
  }
  return false;
}
