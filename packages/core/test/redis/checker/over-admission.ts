import type { Violation } from "./history";
import type { LedgerCharge, LimitLedger } from "./ledger";

/** I1: no window, and no span of time, holds more than its limit. */
export function overAdmissions(ledgers: readonly LimitLedger[]): readonly Violation[] {
  return ledgers.flatMap((ledger) => {
    const { key, limit, facts } = ledger;
    return spansOf(ledger)
      .filter(({ held, most }) => held > most)
      .map(({ span, held, most }) => ({
        invariant: "I1",
        what: `${key} ${limit} (${facts.kind}): ${held} of ${most} admitted in ${span}`,
      }));
  });
}

interface Span {
  readonly span: string;
  readonly held: number;
  readonly most: number;
}

/**
 * What was admitted and surely not given back by the end of the history: whatever was given back
 * made room only when it was, so what is left was within the limit at the last admission.
 */
function keptOf({ cost, least }: LedgerCharge): number {
  return Math.min(cost, least);
}

function sum(charges: readonly LedgerCharge[]): number {
  return charges.reduce((total, charge) => total + keptOf(charge), 0);
}

function spansOf({ facts, charges }: LimitLedger): readonly Span[] {
  const instants = [...new Set(charges.map(({ chargedAt }) => chargedAt))].sort((a, b) => a - b);
  const within = (from: number, to: number) =>
    sum(charges.filter(({ chargedAt }) => chargedAt >= from && chargedAt <= to));
  switch (facts.kind) {
    case "concurrency":
      return [];
    case "fixed-window":
      return instants.map((at) => ({
        span: `the window from ${at}`,
        held: within(at, at),
        most: facts.max,
      }));
    case "sliding-window":
      // A bucket of its length more than the window is the interval that is promised.
      return instants.map((at) => ({
        span: `${facts.buckets + 1} buckets from ${at}`,
        held: within(at, at + facts.buckets),
        most: facts.max,
      }));
    case "sliding-log":
      return instants.map((at) => ({
        span: `the window from ${at}`,
        held: within(at, at + facts.windowMs - 1),
        most: facts.max,
      }));
    case "token-bucket":
      return instants.flatMap((from) =>
        instants
          .filter((to) => to >= from)
          .map((to) => ({
            span: `${from} to ${to}`,
            held: within(from, to),
            most: facts.max + Math.floor(((to - from) * facts.refill) / facts.perMs),
          })),
      );
  }
}
