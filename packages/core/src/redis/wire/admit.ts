import type { AdmitCommand, LimitsTarget } from "../../engine/command";
import type { AdmitReply, ReplacedState } from "../../engine/reply";
import { admitScript } from "../script/scripts";
import { weightOfTargets, writeChecks } from "./checks";
import { LATE, type Operation } from "./operation";
import type { ReplyReader } from "./reply-reader";

const ADMITTED = 1;
const UNDONE = 2;
const TOO_LATE = 3;

/** `admit` on the wire (see lua/command/admit.lua). */
export const admitOperation: Operation<AdmitCommand, AdmitReply> = {
  name: "admit",
  script: admitScript,
  weight: ({ targets }) => weightOfTargets(targets),
  write(writer, { serial, operationId, undoableForMs = 0, targets, cost }, deadlineMs) {
    writer.number(deadlineMs);
    writer.number(serial);
    if (operationId !== "") {
      writer.text(operationId);
      writer.number(undoableForMs);
      writer.records(undoableForMs > 0 ? targets : [], operationId);
    }
    writeChecks(writer, targets, cost, undoableForMs > 0);
  },
  read(reader, { targets }) {
    const status = reader.number();
    if (status === TOO_LATE) return LATE;
    const replacedCount = reader.number();
    const replaced = replacedCount > 0 ? readReplaced(reader, replacedCount, targets) : undefined;
    const checks = reader.checks(targets);
    if (status === UNDONE) return { admitted: false, checks, undone: true };
    const admitted = status === ADMITTED;
    return replaced === undefined ? { admitted, checks } : { admitted, checks, replaced };
  },
};

/** The limits at places of the question, which count from 1. */
function readReplaced(
  reader: ReplyReader,
  count: number,
  targets: readonly LimitsTarget[],
): readonly ReplacedState[] {
  const all = targets.flatMap(({ kind, id, limits }) =>
    limits.map(({ name }) => ({ kind, id, limit: name })),
  );
  return Array.from({ length: count }, () => all[reader.number() - 1] as ReplacedState);
}
