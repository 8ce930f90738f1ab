import type { ResetCommand } from "../../engine/command";
import type { DoneReply } from "../../engine/reply";
import { resetScript } from "../script/scripts";
import type { Operation } from "./operation";

/** `reset` on the wire (see lua/command/reset.lua): an entry per descriptor. */
export const resetOperation: Operation<ResetCommand, DoneReply> = {
  name: "reset",
  script: resetScript,
  weight: ({ targets }) => targets.length,
  write(writer, { targets }) {
    for (const target of targets) writer.chain(target);
    writer.endCommand();
  },
  read: () => ({ done: true }),
};
