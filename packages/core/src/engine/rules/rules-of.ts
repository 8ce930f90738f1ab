import type { CheckLimit } from "../../limit/limit";
import { concurrencyRules } from "./concurrency";
import { fixedWindowRules } from "./fixed-window";
import { poolUnitRules } from "./pool-unit";
import type { LimitRules } from "./rules";
import { slidingLogRules } from "./sliding-log";
import { slidingWindowRules } from "./sliding-window";
import { tokenBucketRules } from "./token-bucket";

/** The rules by kind. */
const rules: {
  readonly [Kind in CheckLimit["kind"]]: LimitRules<Extract<CheckLimit, { kind: Kind }>>;
} = {
  "fixed-window": fixedWindowRules,
  "sliding-window": slidingWindowRules,
  "sliding-log": slidingLogRules,
  "token-bucket": tokenBucketRules,
  concurrency: concurrencyRules,
  "pool-unit": poolUnitRules,
};

/**
 * The rules of a limit. They take that limit and the state found for it; that the two belong
 * together is what `find` in chain.ts checks, so the pairing is not repeated in the types.
 */
export function rulesOf<L extends CheckLimit>(limit: L): LimitRules<L> {
  return rules[limit.kind] as unknown as LimitRules<L>;
}
