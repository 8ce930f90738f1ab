import type { AdmitCommand, FullCost, LimitsTarget } from "../../engine/command";
import { costFor } from "../../engine/cost";
import type { AdmitReply, CheckReply, ReplacedState } from "../../engine/reply";
import { admitScript } from "../script/scripts";
import { LATE, type Operation } from "./operation";
import type { ReplyReader } from "./reply-reader";
import { weightOfTargets } from "./weight";

const REFUSED = 0;
const UNDONE = 2;
const TOO_LATE = 3;
const REPLACING = 4;

/** `admit` on the wire (see lua/command/admit.lua). */
export const admitOperation: Operation<AdmitCommand, AdmitReply> = {
  name: "admit",
  script: admitScript,
  weight: ({ targets }) => weightOfTargets(targets),
  write(writer, { serial, operationId, undoableForMs = 0, targets, cost }, deadlineMs) {
    const charge = { deadlineMs, serial, operationId, undoableForMs };
    writer.question({ targets, cost, charge });
  },
  read(reader, { targets, cost }) {
    return reader.answer<AdmitReply | typeof LATE>(
      (status) => (status === TOO_LATE ? LATE : readReply(reader, status, targets)),
      (told, times) => (told === LATE ? LATE : toldAgain(told, times, targets, cost)),
    );
  },
};

function readReply(
  reader: ReplyReader,
  status: number,
  targets: readonly LimitsTarget[],
): AdmitReply {
  const replaced = status === REPLACING ? readReplaced(reader, targets) : undefined;
  const checks = reader.checks(targets);
  if (status === UNDONE) return { admitted: false, checks, undone: true };
  const admitted = status !== REFUSED;
  return replaced === undefined ? { admitted, checks } : { admitted, checks, replaced };
}

/** The reply to a question like the one before: more is used of what was charged. */
function toldAgain(
  told: AdmitReply,
  times: number,
  targets: readonly LimitsTarget[],
  cost: FullCost,
): AdmitReply {
  if (!told.admitted) return told;
  const checks = new Array<CheckReply>(told.checks.length);
  let place = 0;
  for (const { limits } of targets) {
    for (const limit of limits) {
      const check = told.checks[place] as CheckReply;
      const more = check.chargedAt === undefined ? 0 : times * costFor(limit, cost);
      checks[place] = { ...check, used: check.used + more };
      place += 1;
    }
  }
  return { admitted: true, checks };
}

/** The limits at places of the question, which count from 1. */
function readReplaced(
  reader: ReplyReader,
  targets: readonly LimitsTarget[],
): readonly ReplacedState[] {
  const count = reader.number();
  const all = targets.flatMap(({ kind, id, limits }) =>
    limits.map(({ name }) => ({ kind, id, limit: name })),
  );
  return Array.from({ length: count }, () => all[reader.number() - 1] as ReplacedState);
}
