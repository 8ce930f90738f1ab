import {
  type CheckFacts,
  type FinalState,
  type HistoryRecord,
  textOf,
  type Violation,
} from "./history";

/** From when until when a slot was surely held. */
interface Held {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * I5: never more live leases than slots, and none when all were given back. A lease is surely held
 * from the answer that gave it to the call that frees it, or to the end that it was given with.
 */
export function slotViolations(
  history: readonly HistoryRecord[],
  final: FinalState,
): readonly Violation[] {
  const freed = new Map<string, number>();
  for (const record of history) {
    if (record.type !== "free") continue;
    for (const slot of record.slots) {
      const text = `${record.id} ${textOf(slot)}`;
      freed.set(text, Math.min(record.invokedMs, freed.get(text) ?? Number.POSITIVE_INFINITY));
    }
  }
  const limits = new Map<string, { readonly max: number; readonly held: Held[] }>();
  for (const record of history) {
    if (record.type !== "admit" || record.outcome !== "admitted") continue;
    for (const check of record.checks) {
      if (check.facts.kind !== "concurrency" || check.chargedAt === undefined) continue;
      const text = textOf(check);
      const entry = limits.get(text) ?? { max: check.facts.max, held: [] };
      limits.set(text, entry);
      const toMs = Math.min(check.chargedAt, freed.get(`${record.id} ${text}`) ?? check.chargedAt);
      entry.held.push({ fromMs: record.returnedMs, toMs });
    }
  }
  const tooMany = [...limits].flatMap(([text, { max, held }]) => {
    const most = mostAtOnce(held);
    return most > max ? [{ invariant: "I5", what: `${text}: ${most} of ${max} at once` }] : [];
  });
  const unknown = unknownFates(history);
  const leftOver = final.counters
    .filter((counter) => limits.has(textOf(counter)))
    .filter((counter) => counter.used > (unknown.get(textOf(counter)) ?? 0))
    .map((counter) => ({ invariant: "I5", what: `${textOf(counter)}: ${counter.used} left over` }));
  return [...tooMany, ...leftOver];
}

/** How many leases of each limit may be left: nobody knows whether they were given or freed. */
function unknownFates(history: readonly HistoryRecord[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const record of history) {
    if (record.outcome !== "info" || record.type === "correct") continue;
    const names = record.type === "free" ? record.slots : record.checks.filter(isOfSlots);
    for (const name of names) counts.set(textOf(name), (counts.get(textOf(name)) ?? 0) + 1);
  }
  return counts;
}

function isOfSlots({ facts }: CheckFacts): boolean {
  return facts.kind === "concurrency";
}

function mostAtOnce(held: readonly Held[]): number {
  const counts = held.map(
    ({ fromMs }) => held.filter((other) => other.fromMs <= fromMs && other.toMs > fromMs).length,
  );
  return Math.max(0, ...counts);
}
