import type { Families } from "../metric/families";
import type { Handlers } from "./handlers";

const labels = ["outbound", "upstream"] as const;
const refusalLabels = ["outbound", "upstream", "reason"] as const;
const timeLabels = ["outbound", "upstream", "outcome"] as const;

/** What the metrics of upstreams hear: of their gates, and of what stands around these. */
export interface UpstreamHandlers {
  readonly gate: Handlers<"gate_admitted" | "gate_rejected" | "gate_ended">;
  readonly outbound: Handlers<"outbound_rejected" | "upstream_paused" | "upstream_forgotten">;
}

/**
 * Counts calls to upstreams. `labelOf` makes the label of the text of a key, which `undefined` is
 * where a throttle or a budget of its own reports.
 */
export function upstreamHandlers(
  families: Families,
  labelOf: (upstream: string | undefined) => string,
): UpstreamHandlers {
  const rejected = families.counter({
    name: "upstream_rejected_total",
    help: "Calls that were not made: throttled, paused, beyond the retry budget, or no slot.",
    labels: refusalLabels,
  });
  const pauses = families.counter({
    name: "upstream_pauses_total",
    help: "How often an upstream asked for a pause.",
    labels,
  });
  const paused = families.counter({
    name: "upstream_pause_seconds_total",
    help: "How long the pauses were that upstreams asked for.",
    labels,
  });
  const forgotten = families.counter({
    name: "upstreams_forgotten_total",
    help: "Idle upstreams whose limit and throttle were forgotten because there were too many.",
    labels: ["outbound"],
  });
  return {
    gate: slotHandlers(families, labelOf, ({ gate, upstream, reason }) =>
      rejected.inc(gate, labelOf(upstream), reason),
    ),
    outbound: {
      outbound_rejected: ({ outbound, upstream, reason }) =>
        rejected.inc(outbound, labelOf(upstream), reason),
      upstream_paused: ({ outbound, upstream, waitMs }) => {
        pauses.inc(outbound, labelOf(upstream));
        paused.add(waitMs / 1000, outbound, labelOf(upstream));
      },
      upstream_forgotten: ({ outbound }) => forgotten.inc(outbound),
    },
  };
}

interface Refused {
  readonly gate: string;
  readonly upstream?: string;
  readonly reason: string;
}

/** What the gate before an upstream tells. */
function slotHandlers(
  families: Families,
  labelOf: (upstream: string | undefined) => string,
  onRefused: (refused: Refused) => void,
): UpstreamHandlers["gate"] {
  const admitted = families.counter({
    name: "upstream_admitted_total",
    help: "Calls that got a slot of their upstream.",
    labels,
  });
  const waits = families.histogram({
    name: "upstream_wait_seconds",
    help: "How long calls waited for a slot of their upstream; 0 if there was one.",
    labels: timeLabels,
  });
  const holds = families.histogram({
    name: "upstream_hold_seconds",
    help: "How long calls were in flight, by outcome.",
    labels: timeLabels,
  });
  const firstBytes = families.histogram({
    name: "upstream_first_byte_seconds",
    help: "How long it took from the start of a call to the first byte of its answer.",
    labels,
  });
  return {
    gate_admitted: ({ gate, upstream, waitedMs }) => {
      admitted.inc(gate, labelOf(upstream));
      waits.observe(waitedMs, gate, labelOf(upstream), "admitted");
    },
    gate_rejected: (event) => {
      // The gates of upstreams have no shadow mode.
      onRefused(event);
      waits.observe(event.waitedMs, event.gate, labelOf(event.upstream), "rejected");
    },
    gate_ended: ({ gate, upstream, outcome, heldMs, firstByteMs }) => {
      holds.observe(heldMs, gate, labelOf(upstream), outcome);
      if (firstByteMs !== undefined) firstBytes.observe(firstByteMs, gate, labelOf(upstream));
    },
  };
}
