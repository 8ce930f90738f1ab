import type { RenewCommand } from "../../engine/command";
import type { LeaseFate, RenewedLease, RenewReply } from "../../engine/reply";
import { renewScript } from "../script/scripts";
import type { Operation } from "./operation";

/** By the number that stands for it. */
const FATES: readonly LeaseFate[] = ["lost", "renewed", "adopted"];

/** `renew` on the wire (see lua/command/renew.lua): an entry per lease. */
export const renewOperation: Operation<RenewCommand, RenewReply> = {
  name: "renew",
  script: renewScript,
  weight: leaseCount,
  write(writer, { targets }) {
    for (const target of targets) {
      for (const { limit, operationId, expiresAtMs } of target.leases) {
        writer.leases(target, limit);
        writer.text(operationId);
        writer.number(limit.leaseMs);
        writer.number(expiresAtMs);
      }
    }
    writer.endCommand();
  },
  read: (reader, command) => ({
    leases: Array.from({ length: leaseCount(command) }, (): RenewedLease => {
      const fate = FATES[reader.number()] as LeaseFate;
      return { fate, expiresAtMs: reader.number() };
    }),
  }),
};

function leaseCount({ targets }: RenewCommand): number {
  return targets.reduce((count, { leases }) => count + leases.length, 0);
}
