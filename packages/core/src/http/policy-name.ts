import type { LimitStatus } from "../verdict/verdict";

/**
 * A name for each status of one answer, all different: the limit's own name, of a pool with several
 * units `name:unit`; `kind/name` where two
 * statuses share that; and `kind/name/2`, `/3`, ... where two subjects of one kind still do. Ids
 * never appear, since they may be secrets. Pure; never throws.
 *
 * Slash and colon cannot occur in a kind or in a limit's name, so a qualified name cannot meet a
 * plain one.
 */
export function policyNames(statuses: readonly LimitStatus[]): readonly string[] {
  // The usual case, met on every answer.
  if (areNamesDifferent(statuses)) return statuses.map(ownName);
  const own = statuses.map(ownName);
  const holders = count(own);
  const names = own.map((name, index) =>
    holders.get(name) === 1 ? name : `${statuses[index]?.descriptor.kind}/${name}`,
  );
  const seen = new Map<string, number>();
  return names.map((name) => {
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    return nth === 1 ? name : `${name}/${nth}`;
  });
}

/** The name of a limit; of a pool that counts several units, with the unit. */
function ownName({ name, unit, descriptor, pool }: LimitStatus): string {
  if (pool === undefined) return name;
  const limit = descriptor.limits.find((each) => each.name === name);
  const hasUnits = limit?.kind === "priority-pool" && Object.keys(limit.capacity).length > 1;
  return hasUnits ? `${name}:${unit}` : name;
}

function areNamesDifferent(statuses: readonly LimitStatus[]): boolean {
  if (statuses.length < 2) return true;
  return new Set(statuses.map((status) => status.name)).size === statuses.length;
}

function count(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** The names of the violated statuses, as the RateLimit fields of the same answer spell them. */
export function violatedPolicyNames(
  violated: readonly LimitStatus[],
  statuses: readonly LimitStatus[],
): readonly string[] {
  const names = policyNames(statuses);
  return violated.map((wanted) => {
    const index = statuses.findIndex(
      (status) =>
        status === wanted ||
        (status.descriptor === wanted.descriptor &&
          status.name === wanted.name &&
          status.unit === wanted.unit),
    );
    return names[index] ?? wanted.name;
  });
}
