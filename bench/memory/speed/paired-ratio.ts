import { type Spread, spreadOf } from "../../report/spread";
import type { ContenderName } from "../contender/contenders";
import type { Rounds } from "./comparison";

/**
 * How many times as long as `ours` it took `other`, round by round: two neighbours in time meet the
 * same disturbances, so that their ratio moves less than either of them.
 */
export function pairedRatio(rounds: Rounds, ours: ContenderName, other: ContenderName): Spread {
  const own = rounds.get(ours) as readonly number[];
  const others = rounds.get(other) as readonly number[];
  return spreadOf(others.map((ns, round) => ns / (own[round] as number)));
}
