import type { PeekCommand } from "../../engine/command";
import type { PeekReply } from "../../engine/reply";
import { peekScript } from "../script/scripts";
import type { Operation } from "./operation";
import { weightOfTargets } from "./weight";

/** `peek` on the wire (see lua/command/peek.lua). */
export const peekOperation: Operation<PeekCommand, PeekReply> = {
  name: "peek",
  script: peekScript,
  weight: ({ targets }) => weightOfTargets(targets),
  write(writer, { targets, cost }) {
    writer.question({ targets, cost });
  },
  read: (reader, { targets }) => ({
    admitted: reader.number() === 1,
    checks: reader.checks(targets),
  }),
};
