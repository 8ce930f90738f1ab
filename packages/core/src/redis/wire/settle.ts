import type { SettleCommand, SettleTarget } from "../../engine/command";
import type { DoneReply } from "../../engine/reply";
import { settleScript } from "../script/scripts";
import type { Operation } from "./operation";
import { weightOf } from "./weight";

/** `settle` on the wire (see lua/command/settle.lua). */
export const settleOperation: Operation<SettleCommand, DoneReply> = {
  name: "settle",
  script: settleScript,
  weight: ({ targets }) => targets.reduce((total, target) => total + weightOfTarget(target), 0),
  write(writer, { serial, operationId, onceForMs = 0, targets }) {
    writer.number(serial);
    writer.text(operationId);
    writer.number(onceForMs);
    writer.number(targets.length);
    for (const target of targets) {
      const { corrections } = target;
      if (corrections.some(({ limit }) => limit.kind !== "concurrency")) writer.chain(target);
      else writer.number(0);
      writer.record(target, operationId, onceForMs > 0);
      writer.number(corrections.length);
      for (const { limit, charged, actual, chargedAt, serial: charge } of corrections) {
        writer.limit(limit);
        writer.number(charged);
        writer.number(actual);
        writer.number(chargedAt ?? -1);
        writer.number(charge);
        writer.leases(target, limit);
      }
    }
    writer.endCommand();
  },
  read: () => ({ done: true }),
};

function weightOfTarget({ corrections }: SettleTarget): number {
  return corrections.reduce((total, { limit }) => total + weightOf(limit), 0);
}
