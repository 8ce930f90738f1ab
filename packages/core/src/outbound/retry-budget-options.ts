import type { Recorder } from "../event/recorder";
import { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";
import { OUTBOUND_NAME, OUTBOUND_NAME_EXPECTED } from "./outbound-name";

/** What {@link retryBudget} takes, and the option `retryBudget` of `createUpstreams`. */
export interface RetryBudgetSettings {
  /**
   * The part of the calls in flight that may be retries, 0 to 1. Larger: more short faults are
   * hidden from callers, and an overloaded upstream gets more load on top (1/(1 - share) times).
   *
   * @defaultValue 0.2
   */
  readonly share?: number;
  /**
   * Retries that may be in flight whatever the share says, an integer of 0 or more: with few calls
   * in flight the share is less than one.
   *
   * @defaultValue 3
   */
  readonly min?: number;
  /**
   * Attempts of one call, the first one included, an integer of 1 or more.
   *
   * @defaultValue 3
   */
  readonly maxAttempts?: number;
}

/** {@link RetryBudgetSettings} of a budget of its own. */
export interface RetryBudgetOptions extends RetryBudgetSettings {
  readonly recorder?: Recorder;
  /**
   * Names the budget in events: 1 to 64 characters of `[A-Za-z0-9_-]`.
   *
   * @defaultValue `"retry-budget"`
   */
  readonly name?: string;
}

/** {@link RetryBudgetSettings}, checked and complete. */
export type RetryBudgetConfig = Required<RetryBudgetSettings>;

export const retryBudgetNames = ["share", "min", "maxAttempts"] as const;

/** Reads the settings in `options`; problems go where the reader puts them. */
export function readRetryBudget(options: OptionsReader): RetryBudgetConfig {
  return {
    share: options.number("share", { min: 0, max: 1, fallback: 0.2 }),
    min: options.integer("min", { min: 0, fallback: 3 }),
    maxAttempts: options.integer("maxAttempts", { min: 1, fallback: 3 }),
  };
}

/** @throws InvalidOptionsError listing every problem. */
export function parseRetryBudgetOptions(given: RetryBudgetOptions) {
  const problems = new Problems("retryBudget options");
  const options = new OptionsReader(given, [...retryBudgetNames, "recorder", "name"], problems);
  const config = {
    ...readRetryBudget(options),
    recorder: options.optionalPort<Recorder>("recorder", ["record"]),
    name: options.text("name", OUTBOUND_NAME, OUTBOUND_NAME_EXPECTED, "retry-budget"),
  };
  problems.throwIfAny();
  return Object.freeze(config);
}
