import type { ReleaseCommand } from "../../engine/command";
import type { DoneReply } from "../../engine/reply";
import { releaseScript } from "../script/scripts";
import type { Operation } from "./operation";

/** `release` on the wire (see lua/command/release.lua): an entry per lease. */
export const releaseOperation: Operation<ReleaseCommand, DoneReply> = {
  name: "release",
  script: releaseScript,
  weight: leaseCount,
  write(writer, { operationId, targets }) {
    for (const target of targets) {
      for (const limit of target.limits) {
        writer.leases(target, limit);
        writer.text(operationId);
      }
    }
    writer.endCommand();
  },
  read: () => ({ done: true }),
};

function leaseCount({ targets }: ReleaseCommand): number {
  return targets.reduce((count, { limits }) => count + limits.length, 0);
}
