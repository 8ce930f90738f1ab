import type { PeekCommand } from "../../engine/command";
import type { PeekReply } from "../../engine/reply";
import { peekScript } from "../script/scripts";
import { weightOfTargets, writeChecks } from "./checks";
import type { Operation } from "./operation";

/** `peek` on the wire (see lua/command/peek.lua). */
export const peekOperation: Operation<PeekCommand, PeekReply> = {
  name: "peek",
  script: peekScript,
  weight: ({ targets }) => weightOfTargets(targets),
  write: (writer, { targets, cost }) => writeChecks(writer, targets, cost, false),
  read: (reader, { targets }) => ({
    admitted: reader.number() === 1,
    checks: reader.checks(targets),
  }),
};
