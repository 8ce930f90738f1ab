import type { Families } from "../metric/families";
import type { Reading } from "../metric/gauge-family";
import { NONE } from "../record/handlers";
import type { WatchedThings } from "./watched";

const classLabels = ["gate", "class"] as const;
const gateLabels = ["gate"] as const;
const limiterLabels = ["limiter"] as const;
const limitLabels = ["limit"] as const;
const nodeLabels = ["store", "node"] as const;

/** The gauges of gates. */
export function gateGauges(families: Families, watched: WatchedThings): void {
  const byClass = (count: "inFlight" | "queued") =>
    function* (): Iterable<Reading<typeof classLabels>> {
      for (const { name, stats } of watched.read("gates", (gate, name) => ({
        name,
        stats: gate.stats(),
      }))) {
        const classes = Object.entries(stats.classes ?? { [NONE]: stats });
        for (const [of, counts] of classes) yield [counts[count], name, of];
      }
    };
  families.gauge(
    {
      name: "gate_in_flight",
      help: "Requests that hold a slot of a gate.",
      labels: classLabels,
      aggregator: "sum",
    },
    byClass("inFlight"),
  );
  families.gauge(
    {
      name: "gate_queued",
      help: "Requests that wait for a slot of a gate.",
      labels: classLabels,
      aggregator: "sum",
    },
    byClass("queued"),
  );
  families.gauge(
    {
      name: "gate_max_in_flight",
      help: "The cap of a gate in force; of several processes the sum, as of what is in flight.",
      labels: gateLabels,
      aggregator: "sum",
    },
    () => watched.read("gates", ({ settings }, name) => [settings.maxInFlight, name] as const),
  );
  families.gauge(
    {
      name: "gate_draining",
      help: "Gates that refuse everybody because they drain.",
      labels: gateLabels,
      aggregator: "sum",
    },
    () => watched.read("gates", ({ isDraining }, name) => [isDraining ? 1 : 0, name] as const),
  );
}

/** The gauges of limiters. */
export function limiterGauges(families: Families, watched: WatchedThings): void {
  families.gauge(
    {
      name: "limiter_leases",
      help: "Leases that a limiter renews: one for each slot of a live permit.",
      labels: limiterLabels,
      aggregator: "sum",
    },
    () => watched.read("limiters", ({ heldLeases }, name) => [heldLeases, name] as const),
  );
  families.gauge(
    {
      name: "limiter_waiting",
      help: "Questions that wait for a limit.",
      labels: limiterLabels,
      aggregator: "sum",
    },
    () => watched.read("limiters", (limiter, name) => [limiter.stats().queued, name] as const),
  );
}

/** The gauges of adaptive limits. */
export function limitGauges(families: Families, watched: WatchedThings): void {
  families.gauge(
    {
      name: "adaptive_limit",
      help: "What an adaptive limit lets be in flight.",
      labels: limitLabels,
      aggregator: "average",
    },
    () => watched.read("limits", ({ limit }, name) => [limit, name] as const),
  );
  families.gauge(
    {
      name: "adaptive_baseline_seconds",
      help: "The latency that an adaptive limit takes for that of requests that do not wait.",
      labels: limitLabels,
      aggregator: "average",
    },
    () => watched.read("limits", ({ baselineMs }, name) => [secondsOf(baselineMs), name] as const),
  );
  families.gauge(
    {
      name: "adaptive_gradient_ratio",
      help: "That latency divided by the latest one: 1 if nothing waits, 0.5 if half is waiting.",
      labels: limitLabels,
      aggregator: "average",
    },
    () => watched.read("limits", ({ gradient }, name) => [gradient, name] as const),
  );
}

/** The gauge of the breakers of shared stores. */
export function storeGauges(families: Families, watched: WatchedThings): void {
  families.gauge(
    {
      name: "store_breaker_open",
      help: "1 while a node of a shared store is not asked, except by probes.",
      labels: nodeLabels,
      aggregator: "max",
    },
    function* () {
      for (const readings of watched.read("stores", (store, name) =>
        store
          .nodes()
          .map(({ node, breaker }) => [breaker === "closed" ? 0 : 1, name, node] as const),
      )) {
        yield* readings;
      }
    },
  );
}

function secondsOf(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}
