import type {
  Descriptor,
  Limiter,
  PriorityPoolLimit,
  PriorityPoolOptions,
  Question,
} from "@sluice/core";
import { priorityPool } from "@sluice/core";
import { moveTo } from "../cases/attempts";
import type { Stage } from "../stage";

/** A minute, the window of most pools here. */
export const WINDOW_MS = 60_000;

/** A pool of 100 requests per minute. */
export function poolOf100(
  options: Pick<PriorityPoolOptions, "shares"> & Partial<PriorityPoolOptions>,
): PriorityPoolLimit {
  return priorityPool({ capacity: { requests: 100 }, windowMs: WINDOW_MS, ...options });
}

/** One request: of which class, and when, in milliseconds since the first one. */
export interface Arrival {
  readonly priority: string;
  readonly atMs: number;
}

/** `count` requests of a class at once. */
export function burst(priority: string, count: number, atMs = 0): readonly Arrival[] {
  return new Array(count).fill({ priority, atMs });
}

/** `count` requests of a class, evenly from `fromMs` to the end of the window. */
export function steady(priority: string, count: number, fromMs = 0): readonly Arrival[] {
  const everyMs = (WINDOW_MS - fromMs) / count;
  return Array.from({ length: count }, (_, index) => ({
    priority,
    atMs: fromMs + Math.floor(index * everyMs),
  }));
}

/** Several streams as one, those of one instant in turn. */
export function together(...streams: readonly (readonly Arrival[])[]): readonly Arrival[] {
  const placed = streams.flatMap((stream, of) =>
    stream.map((arrival, index) => ({ arrival, index, of })),
  );
  return placed
    .sort((a, b) => a.arrival.atMs - b.arrival.atMs || a.index - b.index || a.of - b.of)
    .map(({ arrival }) => arrival);
}

/** How many requests of each class a limiter admits. */
export async function admittedBy(
  on: Stage,
  pool: PriorityPoolLimit,
  arrivals: readonly Arrival[],
): Promise<Readonly<Record<string, number>>> {
  const beganMs = on.clock.nowMs();
  const admitted: Record<string, number> = {};
  for (const { priority, atMs } of arrivals) {
    await moveTo(on, beganMs + atMs);
    const verdict = await on.limiter.admit(questionTo(pool, priority));
    admitted[priority] = (admitted[priority] ?? 0) + (verdict.admitted ? 1 : 0);
  }
  return admitted;
}

/** The model of which a pool shares the capacity. */
export function modelWith(pool: PriorityPoolLimit): Descriptor {
  return { kind: "model", id: "gpt", limits: [pool] };
}

/** A question of one request, or of another cost. */
export function questionTo(
  pool: PriorityPoolLimit,
  priority?: string,
  cost: Readonly<Record<string, number>> = { requests: 1 },
): Question {
  const descriptors = [modelWith(pool)];
  return priority === undefined ? { descriptors, cost } : { descriptors, cost, priority };
}

/** What stands in a pool now. */
export async function standing(limiter: Limiter, pool: PriorityPoolLimit, priority?: string) {
  const cost = Object.fromEntries(Object.keys(pool.capacity).map((unit) => [unit, 0]));
  return (await limiter.peek(questionTo(pool, priority, cost))).statuses;
}
