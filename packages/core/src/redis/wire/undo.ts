import type { UndoCommand } from "../../engine/command";
import type { UndoReply } from "../../engine/reply";
import { undoScript } from "../script/scripts";
import type { Operation } from "./operation";
import { weightOfTargets } from "./weight";

/** `undo` on the wire (see lua/command/undo.lua). */
export const undoOperation: Operation<UndoCommand, UndoReply> = {
  name: "undo",
  script: undoScript,
  weight: ({ targets }) => weightOfTargets(targets),
  write(writer, { serial, operationId, tombstoneMs, targets }) {
    writer.number(serial);
    writer.text(operationId);
    writer.number(tombstoneMs);
    writer.number(targets.length);
    for (const target of targets) {
      writer.chain(target);
      writer.record(target, operationId, true);
      writer.number(target.limits.length);
      for (const limit of target.limits) {
        writer.limit(limit);
        writer.leases(target, limit);
      }
    }
    writer.endCommand();
  },
  read: (reader, { targets }) => ({ undone: targets.map(() => reader.number() === 1) }),
};
