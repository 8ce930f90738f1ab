import type { Clock, LimitStatus } from "@sluice/core";
import type { Families } from "../metric/families";
import type { Reading } from "../metric/gauge-family";
import { Series } from "../metric/series";
import type { EventOf } from "./handlers";

/** A number that a store has told, and until when it holds if nobody asks again. */
interface Told {
  value: number;
  untilMs: number;
}

const poolLabels = ["limiter", "kind", "limit"] as const;
const classLabels = ["limiter", "kind", "limit", "unit", "class"] as const;

/**
 * Shows what the store said last of each pool. Of many descriptors of one kind that is the one that
 * was asked about last; when its window is over, it is empty.
 */
export function poolGauges(
  families: Families,
  clock: Clock,
  maxSeries: number,
): (event: EventOf<"verdict">, limiter: string) => void {
  const saturations = new Series(poolLabels, newTold, maxSeries);
  const shares = new Series(classLabels, newTold, maxSeries);
  families.gauge(
    {
      name: "pool_saturation_ratio",
      help: "Use divided by capacity of a pool, the highest of its units; above 1 with debts.",
      labels: poolLabels,
      aggregator: "max",
    },
    () => readingsOf(saturations, clock),
  );
  families.gauge(
    {
      name: "pool_class_use_ratio",
      help: "What a class has used of a unit of a pool, divided by what it is guaranteed.",
      labels: classLabels,
      aggregator: "max",
    },
    () => readingsOf(shares, clock),
  );
  const tell = (told: Told, value: number, { resetAfterMs }: LimitStatus) => {
    told.value = value;
    told.untilMs = clock.nowMs() + resetAfterMs;
  };
  return ({ statuses }, limiter) => {
    for (const status of statuses) {
      const { pool, descriptor, name, unit } = status;
      // What one process reckons by itself says nothing about the whole pool.
      if (pool === undefined || status.source !== "store") continue;
      const { kind } = descriptor;
      tell(saturations.at(limiter, kind, name), pool.saturation, status);
      if (pool.guaranteed === 0) continue;
      const share = shares.at(limiter, kind, name, unit, pool.class);
      tell(share, pool.used / pool.guaranteed, status);
    }
  };
}

function newTold(): Told {
  return { value: 0, untilMs: 0 };
}

function* readingsOf<const L extends readonly string[]>(
  series: Series<L, Told>,
  clock: Clock,
): Iterable<Reading<L>> {
  const nowMs = clock.nowMs();
  for (const { labels, cell } of series.all) {
    const value = nowMs < cell.untilMs ? cell.value : 0;
    yield [value, ...Object.values(labels)] as unknown as Reading<L>;
  }
}
