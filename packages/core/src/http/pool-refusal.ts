import type { LimitStatus, PoolStatus } from "../verdict/verdict";
import type { AnyRejected } from "./body/rejection-body";

/** A refusal by a pool, as bodies and headers tell it. */
export interface PoolRefusal {
  /** The violated check that is spoken of. */
  readonly status: LimitStatus & { readonly pool: PoolStatus };
  /** The statuses of all units of the pool. */
  readonly units: readonly LimitStatus[];
}

/**
 * The refusal by the pool of a violated check, by default of the first one; `undefined` if no pool
 * refused. Pure; never throws.
 */
export function poolRefusal(
  { rejection, statuses }: AnyRejected,
  of: LimitStatus | undefined = rejection.violated.find(isOfPool),
): PoolRefusal | undefined {
  if (of === undefined || !isOfPool(of)) return undefined;
  const units = statuses.filter(
    ({ descriptor, name, pool }) =>
      pool !== undefined && descriptor === of.descriptor && name === of.name,
  );
  return { status: of, units };
}

function isOfPool(status: LimitStatus): status is PoolRefusal["status"] {
  return status.pool !== undefined;
}
