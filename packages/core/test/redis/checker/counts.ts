import { type FinalState, textOf, type Violation } from "./history";
import type { LimitLedger } from "./ledger";

/**
 * I2, I3 and I6: at rest a counter is what was admitted and not given back: what was refused is not
 * in it, and what was given back was so once. Only questions and corrections of unknown fate make a
 * difference, each by its own cost, once. For limits whose windows outlast the history, and buckets
 * that do not fill meanwhile.
 */
export function wrongCounts(
  ledgers: readonly LimitLedger[],
  final: FinalState,
  isLasting: (ledger: LimitLedger) => boolean,
): readonly Violation[] {
  const stored = new Map(final.counters.map((counter) => [textOf(counter), counter.used]));
  return ledgers
    .filter((ledger) => ledger.facts.kind !== "concurrency" && isLasting(ledger))
    .flatMap((ledger) => {
      const used = stored.get(textOf(ledger)) ?? 0;
      const { charges, besides } = ledger;
      const least = charges.reduce((total, charge) => total + charge.least, besides.least);
      const most = charges.reduce((total, charge) => total + charge.most, besides.most);
      if (used >= least && used <= most) return [];
      const invariant = used > most ? "I2" : "I6";
      const what = `${textOf(ledger)} counts ${used}, expected ${least} to ${most}`;
      return [{ invariant, what }];
    });
}
