import { type Spread, spreadOf } from "./spread";

/**
 * How many times as much `other` took as `ours`, round by round: two neighbours in time meet the
 * same disturbances, so that their ratio moves less than either of them.
 */
export function pairedRatio<Name>(
  rounds: ReadonlyMap<Name, readonly number[]>,
  ours: Name,
  other: Name,
): Spread {
  const own = rounds.get(ours) as readonly number[];
  const others = rounds.get(other) as readonly number[];
  return spreadOf(others.map((took, round) => took / (own[round] as number)));
}
