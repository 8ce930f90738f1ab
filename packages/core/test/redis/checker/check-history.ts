import { partialCharges } from "./all-or-nothing";
import { type AnswerTerms, answerViolations } from "./answers";
import { wrongCounts } from "./counts";
import type { FinalState, HistoryRecord, Violation } from "./history";
import { type LimitLedger, ledgersOf } from "./ledger";
import { overAdmissions } from "./over-admission";
import { slotViolations } from "./slots";

/** What the checker is told besides what happened. */
export interface Terms extends AnswerTerms {
  /** Whether a limit's windows outlast the history, so that its final count can be compared. */
  readonly isLasting: (ledger: LimitLedger) => boolean;
}

/**
 * Checks a history of several processes and what it left in the store against the invariants I1 to
 * I11. The arithmetic is its own: nothing of the store is used.
 */
export function checkHistory(
  history: readonly HistoryRecord[],
  final: FinalState,
  terms: Terms,
): readonly Violation[] {
  const ledgers = ledgersOf(history);
  return [
    ...overAdmissions(ledgers),
    ...wrongCounts(ledgers, final, terms.isLasting),
    ...partialCharges(history),
    ...slotViolations(history, final),
    ...answerViolations(history, terms),
    ...final.timesToLive
      .filter(({ ttlMs }) => ttlMs <= 0)
      .map(({ key, ttlMs }) => ({ invariant: "I11", what: `${key} has ${ttlMs} ms to live` })),
  ];
}
