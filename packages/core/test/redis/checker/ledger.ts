import {
  type AdmitRecord,
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
  /** What was charged beside questions: the least, and with calls of unknown fate the most. */
  readonly besides: { readonly least: number; readonly most: number };
}

/** The books of every limit of a history. A permit is closed once: its first correction counts. */
export function ledgersOf(history: readonly HistoryRecord[]): readonly LimitLedger[] {
  const corrections = correctionsOf(history);
  const books = new Map<string, Book>();
  for (const record of history) {
    if (record.type !== "admit") continue;
    for (const check of record.checks) {
      const book = books.get(textOf(check)) ?? new Book(check);
      books.set(textOf(check), book);
      book.enter(record, check, corrections.get(`${record.id} ${textOf(check)}`));
    }
  }
  return [...books.values()].map((book) => book.ledger);
}

interface Correction {
  readonly by: number;
  readonly isCertain: boolean;
}

class Book {
  readonly #check: CheckFacts;
  readonly #charges: LedgerCharge[] = [];
  #least = 0;
  #most = 0;

  constructor(check: CheckFacts) {
    this.#check = check;
  }

  get ledger(): LimitLedger {
    const { key, limit, facts } = this.#check;
    const besides = { least: this.#least, most: this.#most };
    return { key, limit, facts, charges: this.#charges, besides };
  }

  enter(
    { id, outcome }: AdmitRecord,
    { cost, chargedAt }: CheckFacts,
    { by, isCertain }: Correction = { by: 0, isCertain: true },
  ): void {
    if (outcome === "info") this.#most += cost;
    if (outcome !== "admitted") return;
    if (chargedAt === undefined) {
      this.#most += by;
      if (isCertain) this.#least += by;
      return;
    }
    const ends = isCertain ? [cost + by] : [cost, cost + by];
    const [least, most] = [Math.min(...ends), Math.max(...ends)];
    this.#charges.push({ id, cost, chargedAt, least, most });
  }
}

/** By how much each charge was corrected at most, down or up, and whether that is certain. */
function correctionsOf(history: readonly HistoryRecord[]): ReadonlyMap<string, Correction> {
  const corrections = new Map<string, Correction>();
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
