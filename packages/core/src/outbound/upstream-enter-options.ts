import { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";
import type { UpstreamEnterOptions } from "./upstream";

const names = ["signal", "deadlineMs", "attempt", "criticality"] as const;

/** Which attempt a call is, and what a gate has to know of it. */
export interface ReadEnterOptions {
  readonly attempt: number;
  readonly criticality: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly deadlineMs: number;
}

/**
 * Reads the options of one call. The throttle looks at the criticality, since it knows the names.
 *
 * @throws InvalidOptionsError listing every problem.
 */
export function readUpstreamEnterOptions(given: UpstreamEnterOptions): ReadEnterOptions {
  const problems = new Problems("upstream enter options");
  const options = new OptionsReader(given, names, problems);
  const attempt = options.integer("attempt", { min: 1, fallback: 1 });
  const { signal, deadlineMs = Number.POSITIVE_INFINITY, criticality } = given ?? {};
  if (typeof deadlineMs !== "number" || Number.isNaN(deadlineMs)) {
    options.problem("deadlineMs", "a number (0 or less: no time is left), not NaN");
  }
  if (signal !== undefined && typeof signal?.aborted !== "boolean") {
    options.problem("signal", "an AbortSignal");
  }
  problems.throwIfAny();
  return { attempt, criticality, signal, deadlineMs };
}
