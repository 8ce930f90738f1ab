import type { LimitStatus } from "@sluice/core";
import type { Families } from "../metric/families";
import { type EventOf, type Handlers, NONE } from "./handlers";

/** Counts what limiters answer, and what became of permits. */
export function verdictHandlers(
  families: Families,
  onPools: (event: EventOf<"verdict">, limiter: string) => void,
): Handlers<"verdict" | "permit_closed" | "state_replaced" | "key_evicted"> {
  const verdicts = families.counter({
    name: "verdicts_total",
    help: "Questions that a limiter has answered: once each, by outcome, reason and who decided.",
    labels: ["limiter", "outcome", "reason", "source"],
  });
  const checks = families.counter({
    name: "checks_total",
    help: "Limits that were judged within those questions; would_reject is of shadow limits.",
    labels: ["limiter", "kind", "limit", "unit", "result"],
  });
  const closed = families.counter({
    name: "permits_closed_total",
    help: "Permits that were settled, released or refunded.",
    labels: ["limiter", "how"],
  });
  const replaced = families.counter({
    name: "states_replaced_total",
    help: "States of limits that started fresh because kind, unit or window had changed.",
    labels: ["limiter", "limit"],
  });
  const evicted = families.counter({
    name: "keys_evicted_total",
    help: "Live entries that a full memory store has dropped.",
    labels: ["limiter"],
  });
  return {
    verdict: (event, limiter) => {
      const { reason = NONE, source, statuses } = event;
      verdicts.inc(limiter, outcomeOf(event), reason, source);
      let hasPools = false;
      for (const status of statuses) {
        const { descriptor, name, unit, pool } = status;
        checks.inc(limiter, descriptor.kind, name, unit, resultOf(status));
        hasPools ||= pool !== undefined;
      }
      if (hasPools) onPools(event, limiter);
    },
    permit_closed: ({ how }, limiter) => closed.inc(limiter, how),
    state_replaced: ({ limit }, limiter) => replaced.inc(limiter, limit),
    key_evicted: (_event, limiter) => evicted.inc(limiter),
  };
}

/** A broken store is no full limit: what it could not answer is an error. */
function outcomeOf({ admitted, reason }: EventOf<"verdict">): string {
  if (admitted) return "admitted";
  return reason === "store_unavailable" ? "error" : "rejected";
}

function resultOf({ admitted, wouldReject }: LimitStatus): string {
  if (wouldReject === true) return "would_reject";
  return admitted ? "passed" : "violated";
}
