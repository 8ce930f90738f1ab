import { idText } from "../../descriptor/key";
import type { DescriptorLimit, Milliseconds } from "../../limit/limit";
import type { LimitStatus, Reason, Rejected } from "../../verdict/verdict";
import { descriptorKey } from "./lines";

/** Reasons that time, or somebody who gives back, can end. */
const WAITABLE: ReadonlySet<Reason> = new Set([
  "window_exhausted",
  "share_exhausted",
  "concurrency_exhausted",
]);

/** What a refused question waits for. */
export interface Blocked {
  /** The longest exact wait; `undefined` if none is known. */
  readonly waitMs: Milliseconds | undefined;
  /** The checks that refused. */
  readonly violated: readonly LimitStatus[];
  /** Of those the one that lasts longest: in its line the question waits. */
  readonly by: LimitStatus;
}

/** What a refusal makes a question wait for; `undefined` if no wait can help. */
export function blockedBy({ rejection }: Rejected): Blocked | undefined {
  const { reason, violated } = rejection;
  const [first] = violated;
  if (!WAITABLE.has(reason) || first === undefined) return undefined;
  const by = violated.reduce((longest, each) => (waitOf(each) > waitOf(longest) ? each : longest));
  return { waitMs: by.retryAfterMs, violated, by };
}

function waitOf({ retryAfterMs }: LimitStatus): number {
  return retryAfterMs ?? 0;
}

/** The descriptor of a status, as lines know it. */
export function keyOfStatus({ descriptor }: LimitStatus): string {
  return descriptorKey({ kind: descriptor.kind, id: idText(descriptor.id) });
}

/** The limit of a status. Of a pool: the pool, not the unit. */
export function limitOfStatus({ descriptor, name }: LimitStatus): DescriptorLimit {
  return descriptor.limits.find((limit) => limit.name === name) as DescriptorLimit;
}
