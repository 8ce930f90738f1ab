import type { HistoryRecord, Violation } from "./history";

/** I4: an admitted question has charged every limit that it costs something, a refused one none. */
export function partialCharges(history: readonly HistoryRecord[]): readonly Violation[] {
  return history.flatMap((record) => {
    if (record.type !== "admit" || record.outcome === "info") return [];
    const costing = record.checks.filter(({ cost }) => cost > 0);
    const charged = costing.filter(({ chargedAt }) => chargedAt !== undefined);
    const expected = record.outcome === "admitted" ? costing.length : 0;
    if (charged.length === expected) return [];
    const share = `${charged.length} of ${costing.length}`;
    const what = `${record.id} was ${record.outcome} and charged ${share}`;
    return [{ invariant: "I4", what }];
  });
}
