import type { CheckLimit } from "../limit/limit";
import { find, isAhead, isOfAnotherShape } from "./chain";
import { placeOfPool } from "./pools";
import type { Change, Charge } from "./rules/rules";
import { rulesOf } from "./rules/rules-of";
import type { DescriptorState, LimitState } from "./state";

/** What a command has made of the nodes of one chain so far. */
export interface ChainEdits {
  readonly written: LimitState[];
  readonly removed: CheckLimit[];
}

/** Corrects one charge of a limit by the rules of its kind. */
export function correct(
  chain: DescriptorState,
  limit: CheckLimit,
  change: Change,
  by: Charge,
  { written, removed }: ChainEdits,
): void {
  // State of another shape under this name belongs to a limit that came later: leave it alone.
  if (change.charged === change.actual || isOfAnotherShape(chain, limit, by.nowMs)) return;
  // The units of a pool have one state: what one correction made of it is where the next begins.
  const at = limit.kind === "pool-unit" ? placeOfPool(written, written.length, limit) : -1;
  const state = written[at] ?? find(chain, limit, by.nowMs, by.serial);
  const corrected = rulesOf(limit).correct(limit, state as never, change, by);
  if (corrected === null) {
    if (state !== null) removed.push(limit);
  } else if (written[at] !== undefined) {
    written[at] = corrected;
  } else if (corrected !== state || isAhead(chain, state)) {
    written.push(corrected);
  }
}
