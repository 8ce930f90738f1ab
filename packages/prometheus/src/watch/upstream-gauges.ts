import type { UpstreamStats } from "@sluice/core";
import type { Families } from "../metric/families";
import type { Reading } from "../metric/gauge-family";
import type { WatchedThings } from "./watched";

const labels = ["outbound", "upstream"] as const;

interface UpstreamGauge {
  readonly name: string;
  readonly help: string;
  readonly read: (stats: UpstreamStats) => number;
}

/** Each is a sum over the keys that share a label. */
const gauges: readonly UpstreamGauge[] = [
  {
    name: "upstreams",
    help: "Upstreams that are known.",
    read: () => 1,
  },
  {
    name: "upstream_in_flight",
    help: "Calls that hold a slot of their upstream.",
    read: ({ inFlight }) => inFlight,
  },
  {
    name: "upstream_queued",
    help: "Calls that wait for a slot of their upstream.",
    read: ({ queued }) => queued,
  },
  {
    name: "upstream_max_in_flight",
    help: "Calls to upstreams that may run now, over all of them.",
    read: ({ limit }) => limit,
  },
  {
    name: "upstreams_paused",
    help: "Upstreams that are left alone now because they asked for it.",
    read: ({ pausedForMs }) => (pausedForMs > 0 ? 1 : 0),
  },
];

/** The gauges of upstreams. */
export function upstreamGauges(
  families: Families,
  watched: WatchedThings,
  labelOf: (upstream: string) => string,
): void {
  for (const { name, help, read } of gauges) {
    families.gauge({ name, help, labels, aggregator: "sum" }, function* () {
      for (const readings of watched.read("upstreams", (upstreams, outbound) =>
        upstreams
          .stats()
          .map((stats): Reading<typeof labels> => [read(stats), outbound, labelOf(stats.upstream)]),
      )) {
        yield* readings;
      }
    });
  }
}
