import type { AdaptiveLimit } from "../adaptive/adaptive-limit";
import type { LimitAlgorithm } from "../adaptive/limit-algorithm";
import { isIntegerWithin, type OptionsReader } from "../options/read";

const methods = ["onSample", "onFull", "takeProbe", "onChange"] as const;

/** A cap as it was given: a number, or a limit that finds it. */
export interface GivenCap {
  readonly maxInFlight: number;
  readonly limit: AdaptiveLimit | undefined;
}

/** Reads `maxInFlight`; what is not given is taken from `current`, without one it is required. */
export function readCap(options: OptionsReader, current: GivenCap | undefined): GivenCap {
  const raw = options.raw("maxInFlight");
  if (raw === undefined && current !== undefined) return current;
  if (isAdaptiveLimit(raw)) return { maxInFlight: capOf(raw, 1), limit: raw };
  if (isIntegerWithin(raw, 1, Number.MAX_SAFE_INTEGER))
    return { maxInFlight: raw, limit: undefined };
  const isAlgorithm = typeof (raw as Partial<LimitAlgorithm> | null)?.hold === "function";
  const limit = isAlgorithm ? "adaptiveLimit({ algorithm }) around it" : "an adaptive limit";
  options.problem("maxInFlight", `an integer of 1 or more, or ${limit}`);
  return { maxInFlight: 1, limit: undefined };
}

/**
 * The number that a limit says, as a cap. A limit of the user's own making may say anything; the
 * gate then keeps what it had, and never closes for good.
 */
export function capOf(limit: AdaptiveLimit, current: number): number {
  const said = Math.floor(limit.limit);
  return isIntegerWithin(said, 1, Number.MAX_SAFE_INTEGER) ? said : current;
}

function isAdaptiveLimit(value: unknown): value is AdaptiveLimit {
  if (typeof value !== "object" || value === null) return false;
  const limit = value as Partial<AdaptiveLimit>;
  return (
    typeof limit.limit === "number" && methods.every((name) => typeof limit[name] === "function")
  );
}
