import type { Families } from "../metric/families";
import { type Handlers, NONE } from "./handlers";

const labels = ["gate", "class"] as const;
const refusalLabels = ["gate", "class", "reason"] as const;
const timeLabels = ["gate", "class", "outcome"] as const;

type GateEvents = Handlers<"gate_admitted" | "gate_rejected" | "gate_ended">;

/**
 * Counts what gates do, and measures waits and holds. What a gate before an upstream tells goes to
 * the metrics of upstreams.
 */
export function gateHandlers(families: Families, ofUpstream: GateEvents): GateEvents {
  const own = ownGateHandlers(families);
  const of = ({ upstream }: { readonly upstream?: string }) =>
    upstream === undefined ? own : ofUpstream;
  return {
    gate_admitted: (event, limiter) => of(event).gate_admitted(event, limiter),
    gate_rejected: (event, limiter) => of(event).gate_rejected(event, limiter),
    gate_ended: (event, limiter) => of(event).gate_ended(event, limiter),
  };
}

function ownGateHandlers(families: Families): GateEvents {
  const admitted = families.counter({
    name: "gate_admitted_total",
    help: "Requests that a gate has let in.",
    labels,
  });
  const rejected = families.counter({
    name: "gate_rejected_total",
    help: "Requests that a gate has refused.",
    labels: refusalLabels,
  });
  const shadow = families.counter({
    name: "gate_shadow_rejected_total",
    help: "Requests that a gate has let in although it would have refused them.",
    labels: refusalLabels,
  });
  const waits = families.histogram({
    name: "gate_wait_seconds",
    help: "How long requests waited for a slot; 0 if they started at once.",
    labels: timeLabels,
  });
  const holds = families.histogram({
    name: "gate_hold_seconds",
    help: "How long requests were in flight, by outcome.",
    labels: timeLabels,
  });
  const firstBytes = families.histogram({
    name: "gate_first_byte_seconds",
    help: "How long it took from the start of a request to the first byte of its answer.",
    labels,
  });
  return {
    gate_admitted: ({ gate, class: name = NONE, waitedMs }) => {
      admitted.inc(gate, name);
      waits.observe(waitedMs, gate, name, "admitted");
    },
    gate_rejected: ({ gate, class: name = NONE, reason, waitedMs, shadow: isShadow }) => {
      if (isShadow) {
        shadow.inc(gate, name, reason);
        return;
      }
      rejected.inc(gate, name, reason);
      waits.observe(waitedMs, gate, name, "rejected");
    },
    gate_ended: ({ gate, class: name = NONE, outcome, heldMs, firstByteMs }) => {
      holds.observe(heldMs, gate, name, outcome);
      if (firstByteMs !== undefined) firstBytes.observe(firstByteMs, gate, name);
    },
  };
}
