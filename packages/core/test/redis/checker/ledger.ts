import {
  type CheckFacts,
  type HistoryRecord,
  type LimitFacts,
  type LimitName,
  textOf,
} from "./history";

/** One charge of one limit by an admitted question, and what became of it. */
export interface LedgerCharge {
  readonly id: string;
  readonly cost: number;
  readonly chargedAt: number;
  /** The least that it may come to in the end, and the most. */
  readonly least: number;
  readonly most: number;
}

/** Everything that a history says about one limit. */
export interface LimitLedger extends LimitName {
  readonly facts: LimitFacts;
  readonly charges: readonly LedgerCharge[];
  /** What questions of unknown fate may have charged. */
  readonly unknown: number;
}

/** The books of every limit of a history. A permit is closed once: its first correction counts. */
export function ledgersOf(history: readonly HistoryRecord[]): readonly LimitLedger[] {
  const corrections = correctionsOf(history);
  const ledgers = new Map<string, { ledger: LimitLedger; charges: LedgerCharge[]; sum: number }>();
  for (const record of history) {
    if (record.type !== "admit") continue;
    for (const check of record.checks) {
      const text = textOf(check);
      let entry = ledgers.get(text);
      if (entry === undefined) {
        const { key, limit, facts } = check;
        const charges: LedgerCharge[] = [];
        entry = { ledger: { key, limit, facts, charges, unknown: 0 }, charges, sum: 0 };
        ledgers.set(text, entry);
      }
      if (record.outcome === "info") entry.sum += check.cost;
      if (record.outcome === "admitted" && check.chargedAt !== undefined) {
        entry.charges.push(chargeOf(record.id, check, corrections));
      }
    }
  }
  return [...ledgers.values()].map(({ ledger, sum }) => ({ ...ledger, unknown: sum }));
}

/** By how much each charge was corrected at most, down or up, and whether that is certain. */
function correctionsOf(history: readonly HistoryRecord[]) {
  const corrections = new Map<string, { readonly by: number; readonly isCertain: boolean }>();
  for (const record of history) {
    if (record.type !== "correct") continue;
    for (const change of record.changes) {
      const text = `${record.id} ${textOf(change)}`;
      const isCertain = record.outcome === "ok" || corrections.get(text)?.isCertain === true;
      corrections.set(text, { by: change.by, isCertain });
    }
  }
  return corrections;
}

function chargeOf(
  id: string,
  check: CheckFacts,
  corrections: ReturnType<typeof correctionsOf>,
): LedgerCharge {
  const { cost, chargedAt = 0 } = check;
  const { by, isCertain } = corrections.get(`${id} ${textOf(check)}`) ?? { by: 0, isCertain: true };
  const ends = isCertain ? [cost + by] : [cost, cost + by];
  return { id, cost, chargedAt, least: Math.min(...ends), most: Math.max(...ends) };
}
