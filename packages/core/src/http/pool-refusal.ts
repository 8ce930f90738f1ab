import type { LimitStatus, PoolStatus } from "../verdict/verdict";
import type { AnyRejected } from "./body/rejection-body";

/** The check of one unit of a pool. */
export type PoolCheck = LimitStatus & { readonly pool: PoolStatus };

/** A refusal by a pool, as bodies and headers tell it. */
export interface PoolRefusal {
  /** The violated check that gives the reason: the capacity before the share. */
  readonly status: PoolCheck;
  /** All violated checks of the pool. */
  readonly violated: readonly PoolCheck[];
  /** The statuses of all units of the pool. */
  readonly units: readonly PoolCheck[];
}

/**
 * The refusal by the pool of a violated check, by default of the first one; `undefined` if no pool
 * refused. Pure; never throws.
 */
export function poolRefusal(
  { rejection, statuses }: AnyRejected,
  of: LimitStatus | undefined = rejection.violated.find(isPoolCheck),
): PoolRefusal | undefined {
  if (of === undefined || !isPoolCheck(of)) return undefined;
  const isOfSame = (status: LimitStatus): status is PoolCheck =>
    isPoolCheck(status) && status.descriptor === of.descriptor && status.name === of.name;
  const violated = rejection.violated.filter(isOfSame);
  // What never passes is without a wait, and the reason of the whole refusal.
  const hopeless = rejection.retryable
    ? undefined
    : violated.find(({ retryAfterMs }) => retryAfterMs === undefined);
  const status = hopeless ?? violated.find(({ pool }) => pool.ceiling === "capacity") ?? of;
  return { status, violated, units: statuses.filter(isOfSame) };
}

function isPoolCheck(status: LimitStatus): status is PoolCheck {
  return status.pool !== undefined;
}
