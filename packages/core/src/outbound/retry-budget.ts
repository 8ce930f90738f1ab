import { record } from "../event/recorder";
import { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";
import {
  type OutboundPermit,
  type OutboundVerdict,
  outboundAdmitted,
  outboundRejected,
} from "./outbound-permit";
import { parseRetryBudgetOptions, type RetryBudgetOptions } from "./retry-budget-options";

/** The numbers of a budget at one instant. */
export interface RetryBudgetStats {
  /** Attempts in flight, retries included. */
  readonly inFlight: number;
  /** Retries in flight. */
  readonly retriesInFlight: number;
  /** Attempts since the budget was made: first ones, and retries that were granted. */
  readonly attempts: number;
  /** Retries that were granted, and those that were refused. */
  readonly retries: number;
  readonly refused: number;
}

/** Which attempt of its call a retry is. */
export interface RetryOptions {
  /** 2 for the first retry, an integer of 2 or more. @defaultValue 2 */
  readonly attempt?: number;
}

/** Bounds how much of what is sent to an upstream are retries. Made by {@link retryBudget}. */
export interface RetryBudget {
  /** Counts a first attempt. It is in flight until the permit is ended. Never refuses. */
  start(): OutboundPermit;
  /**
   * Grants a retry, which is in flight until its permit is ended, or refuses it with
   * `retry_budget_exhausted` and no wait: give the answer of the last attempt to the caller
   * instead. Not retryable when the call has had all its attempts.
   *
   * After a grant retriesInFlight <= max(min, share * inFlight) holds.
   *
   * @throws InvalidOptionsError on a bad `attempt`.
   */
  tryRetry(options?: RetryOptions): OutboundVerdict;
  /** A snapshot. */
  stats(): RetryBudgetStats;
}

/**
 * Makes a budget for retries: a retry is granted while few are in flight, or while they are at most
 * a share of all calls in flight. During an outage, when every call fails and asks for retries, the
 * upstream gets at most 1/(1 - share) times the load, where three attempts each would be three
 * times.
 *
 * @throws InvalidOptionsError listing every problem.
 * @remarks The budget of failsafe-go (20 %, three at least), with the grant itself counted before
 * it is judged, and the bound of three attempts per call of Google's Site Reliability Engineering.
 */
export function retryBudget(options: RetryBudgetOptions = {}): RetryBudget {
  return new InFlightRetryBudget(parseRetryBudgetOptions(options));
}

/** Sums like 0.29 * 100 end a little below what they mean. */
const TOLERANCE = 1e-9;

class InFlightRetryBudget implements RetryBudget {
  readonly #config: ReturnType<typeof parseRetryBudgetOptions>;
  #inFlight = 0;
  #retriesInFlight = 0;
  #attempts = 0;
  #retries = 0;
  #refused = 0;

  constructor(config: ReturnType<typeof parseRetryBudgetOptions>) {
    this.#config = config;
  }

  start(): OutboundPermit {
    this.#attempts += 1;
    this.#inFlight += 1;
    return new AttemptPermit(() => {
      this.#inFlight -= 1;
    });
  }

  tryRetry(options: RetryOptions = {}): OutboundVerdict {
    const { share, min, maxAttempts } = this.#config;
    if (readAttempt(options) > maxAttempts) return this.#refuse(false);
    const retries = this.#retriesInFlight + 1;
    const isWithinShare = retries <= share * (this.#inFlight + 1) + TOLERANCE;
    if (retries > min && !isWithinShare) return this.#refuse(true);
    this.#attempts += 1;
    this.#retries += 1;
    this.#inFlight += 1;
    this.#retriesInFlight = retries;
    const permit = new AttemptPermit(() => {
      this.#inFlight -= 1;
      this.#retriesInFlight -= 1;
    });
    return outboundAdmitted(permit);
  }

  stats(): RetryBudgetStats {
    return {
      inFlight: this.#inFlight,
      retriesInFlight: this.#retriesInFlight,
      attempts: this.#attempts,
      retries: this.#retries,
      refused: this.#refused,
    };
  }

  #refuse(retryable: boolean): OutboundVerdict {
    const { recorder, name } = this.#config;
    const reason = "retry_budget_exhausted";
    this.#refused += 1;
    record(recorder, { type: "outbound_rejected", outbound: name, reason });
    return outboundRejected(reason, undefined, retryable);
  }
}

function readAttempt(given: RetryOptions): number {
  const problems = new Problems("retry");
  const options = new OptionsReader(given, ["attempt"], problems);
  const attempt = options.integer("attempt", { min: 2, fallback: 2 });
  problems.throwIfAny();
  return attempt;
}

class AttemptPermit implements OutboundPermit {
  #onEnd: (() => void) | undefined;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  firstByte(): void {}

  end(): void {
    const onEnd = this.#onEnd;
    this.#onEnd = undefined;
    onEnd?.();
  }
}
