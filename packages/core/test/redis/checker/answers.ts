import { type AdmitRecord, type HistoryRecord, textOf, type Violation } from "./history";

/** Instants of two processes and of a server on one machine are whole milliseconds of one clock. */
const CLOCK_ERROR_MS = 2;

/** What is promised of answers. */
export interface AnswerTerms {
  /** The deadline of a call, and what a busy machine may take longer. */
  readonly deadlineMs: number;
  /** Whether every question is judged in one step, so that nobody sees a charge that is undone. */
  readonly isOneStep: boolean;
}

/** I7 to I10, as far as a history shows them. */
export function answerViolations(
  history: readonly HistoryRecord[],
  terms: AnswerTerms,
): readonly Violation[] {
  const admits = history.filter((record) => record.type === "admit");
  return [
    ...admits.flatMap(movedResets),
    ...(terms.isOneStep ? risenRemaining(history, admits) : []),
    ...late(history, terms.deadlineMs),
    ...silence(history),
    ...falseWaits(admits),
  ];
}

/** I7: the end of a fixed window does not move. */
function movedResets({
  id,
  outcome,
  invokedMs,
  returnedMs,
  checks,
}: AdmitRecord): readonly Violation[] {
  if (outcome === "info") return [];
  return checks.flatMap(({ facts, chargedAt, resetAfterMs }) => {
    if (facts.kind !== "fixed-window" || chargedAt === undefined) return [];
    const endMs = chargedAt + facts.windowMs;
    const isWithin =
      invokedMs + resetAfterMs <= endMs + CLOCK_ERROR_MS &&
      returnedMs + resetAfterMs >= endMs - CLOCK_ERROR_MS;
    return isWithin ? [] : [{ invariant: "I7", what: `${id}: the window from ${chargedAt} moved` }];
  });
}

/** I7: within a fixed window nothing comes back, unless somebody gives it back. */
function risenRemaining(
  history: readonly HistoryRecord[],
  admits: readonly AdmitRecord[],
): readonly Violation[] {
  const seen = admits.flatMap((record) =>
    record.outcome === "info"
      ? []
      : record.checks
          .filter(
            ({ facts, chargedAt }) => facts.kind === "fixed-window" && chargedAt !== undefined,
          )
          .map((check) => ({ record, check })),
  );
  const givenBack = history.filter((record) => record.type === "correct");
  return seen.flatMap(({ record, check }) =>
    seen
      .filter(
        (later) =>
          textOf(later.check) === textOf(check) &&
          later.check.chargedAt === check.chargedAt &&
          later.record.invokedMs > record.returnedMs &&
          later.check.used < check.used &&
          !givenBack.some(
            (back) =>
              back.invokedMs <= later.record.returnedMs &&
              (back.outcome === "info" || back.returnedMs >= record.invokedMs) &&
              back.changes.some((change) => textOf(change) === textOf(check) && change.by < 0),
          ),
      )
      .map((later) => ({
        invariant: "I7",
        what: `${textOf(check)}: ${check.used} used, then ${later.check.used}`,
      })),
  );
}

/** I8: every call ends by its deadline. */
function late(history: readonly HistoryRecord[], deadlineMs: number): readonly Violation[] {
  return history
    .filter(({ invokedMs, returnedMs }) => returnedMs - invokedMs > deadlineMs)
    .map(({ id, invokedMs, returnedMs }) => ({
      invariant: "I8",
      what: `${id} took ${returnedMs - invokedMs} ms of ${deadlineMs}`,
    }));
}

/** I9: what was asked last was answered. */
function silence(history: readonly HistoryRecord[]): readonly Violation[] {
  const last = history.reduce<HistoryRecord | undefined>(
    (latest, record) =>
      latest === undefined || record.invokedMs > latest.invokedMs ? record : latest,
    undefined,
  );
  if (last?.outcome !== "info") return [];
  return [{ invariant: "I9", what: `${last.id} was not answered, and was the last` }];
}

/** I10: whoever waits as long as told, and is alone, is admitted. */
function falseWaits(admits: readonly AdmitRecord[]): readonly Violation[] {
  return admits
    .filter(({ isRetry, outcome }) => isRetry === true && outcome === "refused")
    .map(({ id }) => ({ invariant: "I10", what: `${id} had waited` }));
}
