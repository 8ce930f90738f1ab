import type { AdaptiveLimit } from "@sluice/core";
import { fixedLimit, type Scenario } from "@sluice/testing";
import type { LimitFactory } from "./limits";

/** How many requests it lets in per slot: enough that no slot is idle for want of one. */
const PER_SLOT = 1.5;

/**
 * A limit that is told how many slots the server has, at every step. What it does not reach, no
 * limit can be expected to: a variant of a scenario may ask for too much.
 */
export function knowingLimit(scenario: Scenario): LimitFactory {
  const { slots, firstByte, service, steps = [] } = scenario.server;
  // Of a stream only the part before its first byte counts, if the limit holds no longer.
  const part =
    firstByte !== undefined && scenario.heldUntil === "first-byte"
      ? meanOf(firstByte) / (meanOf(firstByte) + meanOf(service))
      : 1;
  const limitFor = (count: number) => Math.max(1, Math.ceil(count * part * PER_SLOT));
  return ({ clock }) => {
    const limit: AdaptiveLimit = fixedLimit(limitFor(slots));
    for (const step of steps) {
      const { slots: changed } = step;
      if (changed !== undefined) {
        clock.after(step.atMs, () => limit.useStatic(limitFor(changed)));
      }
    }
    return limit;
  };
}

function meanOf(distribution: Scenario["server"]["service"]): number {
  if (distribution.kind !== "bimodal") return distribution.meanMs;
  const { fastMs, slowMs, slowShare } = distribution;
  return fastMs * (1 - slowShare) + slowMs * slowShare;
}
