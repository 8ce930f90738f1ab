import type { Descriptor } from "../descriptor/descriptor";
import type { AdmitCommand, LimitsTarget } from "../engine/command";
import type { PeekReply } from "../engine/reply";
import type { LimitStatus } from "../verdict/verdict";
import { withPools } from "./pool-statuses";
import { localStatusesOf, statusesOf } from "./statuses";

/** Where the limits of a question stand, by what was answered to its command. */
export function statusesIn(
  descriptors: readonly Descriptor[],
  { targets, cost }: Pick<AdmitCommand, "targets" | "cost">,
  reply: PeekReply,
): readonly LimitStatus[] {
  const { checks, localMax } = reply;
  const asked = statusesOf(descriptors, targets, checks);
  const statuses = localMax === undefined ? asked : localStatusesOf(asked, localMax);
  return hasPools(targets) ? withPools(statuses, targets, checks, cost) : statuses;
}

/** Written as loops: every verdict comes by here, and usually there is none. */
function hasPools(targets: readonly LimitsTarget[]): boolean {
  for (let index = 0; index < targets.length; index += 1) {
    const { limits } = targets[index] as LimitsTarget;
    for (let place = 0; place < limits.length; place += 1) {
      if (limits[place]?.kind === "pool-unit") return true;
    }
  }
  return false;
}
