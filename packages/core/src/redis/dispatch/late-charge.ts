import type { AdmitCommand, Correction, SettleCommand, SettleTarget } from "../../engine/command";
import { costFor } from "../../engine/cost";
import type { AdmitReply, CheckReply } from "../../engine/reply";

/**
 * The command that takes back what an admit charged whose caller had been told that there is no
 * answer; `undefined` if it charged nothing.
 */
export function refundOf(command: AdmitCommand, reply: AdmitReply): SettleCommand | undefined {
  const { operationId, serial, cost } = command;
  const targets: SettleTarget[] = [];
  let place = 0;
  for (const { kind, id, limits } of command.targets) {
    const corrections: Correction[] = [];
    for (const limit of limits) {
      const { chargedAt, serial: charge } = reply.checks[place] as CheckReply;
      place += 1;
      if (chargedAt === undefined) continue;
      const charged = costFor(limit, cost);
      corrections.push({ limit, charged, actual: 0, chargedAt, serial: charge });
    }
    if (corrections.length > 0) targets.push({ kind, id, corrections });
  }
  if (!reply.admitted || targets.length === 0) return undefined;
  return { type: "settle", operationId, serial, targets };
}
