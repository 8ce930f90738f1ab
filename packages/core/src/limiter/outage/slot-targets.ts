import type { LimitsTarget, SettleCommand, SlotsTarget } from "../../engine/command";
import type { CheckLimit, ConcurrencyLimit } from "../../limit/limit";

/** The slots among the limits of some targets. */
export function slotsInTargets(targets: readonly LimitsTarget[]): SlotsTarget[] {
  return targets.flatMap(({ kind, id, limits }) => {
    const slots = limits.filter(isSlots);
    return slots.length === 0 ? [] : [{ kind, id, limits: slots }];
  });
}

/** The slots that a settlement frees. */
export function slotsInSettlement({ targets }: SettleCommand): SlotsTarget[] {
  return slotsInTargets(
    targets.map(({ kind, id, corrections }) => {
      return { kind, id, limits: corrections.map(({ limit }) => limit) };
    }),
  );
}

function isSlots(limit: CheckLimit): limit is ConcurrencyLimit {
  return limit.kind === "concurrency";
}
