import type { CancelTimer } from "../../clock/clock";
import type { DescriptorLimit, PriorityPoolLimit } from "../../limit/limit";
import { classOf } from "../../limit/pool-units";
import { ClassQueues } from "../../queue/class-queues";
import { WEIGHT_MIN } from "../../queue/stride";

/** The class of those who wait for a limit that has none. */
const ONLY_CLASS = "default";

/**
 * Those who wait for one limit of one descriptor. Of a pool there is a queue for each of its
 * classes, with turns in proportion to their shares; of any other limit there is one. `T`: who
 * waits.
 */
export class Line<T> {
  /** The descriptor, and the name of the limit. */
  readonly key: string;
  readonly limit: string;
  readonly queue = new ClassQueues<T>([]);
  readonly #classes = new Set<string>();
  /** Whether somebody of it is being asked for, and whether it is to be gone through once more. */
  isServed = false;
  isServedAgain = false;
  /** When the first of its heads is to be asked again. */
  dueMs = Number.POSITIVE_INFINITY;
  cancelTimer: CancelTimer = () => {};

  constructor(key: string, limit: string) {
    this.key = key;
    this.limit = limit;
  }

  /** The class in which a question of this priority waits for this limit. */
  classFor(limit: DescriptorLimit, priority: string | undefined): string {
    const rule = classRule(limit, priority);
    if (!this.#classes.has(rule.name)) {
      this.#classes.add(rule.name);
      this.queue.setClass({ ...rule, rank: 0, tier: 0 });
    }
    return rule.name;
  }
}

function classRule(limit: DescriptorLimit, priority: string | undefined) {
  if (limit.kind !== "priority-pool") return { name: ONLY_CLASS, weight: 1 };
  const place = classOf(limit, priority);
  return { name: limit.classes[place] as string, weight: shareOf(limit, place) };
}

/** The largest part that a class has of any unit; a class without one still has turns. */
function shareOf({ capacity, guaranteed }: PriorityPoolLimit, place: number): number {
  const shares = Object.entries(capacity).map(([unit, max]) =>
    max === 0 ? 0 : (guaranteed[unit]?.[place] ?? 0) / max,
  );
  return Math.max(WEIGHT_MIN, ...shares);
}
