import { hasBrand } from "./brand";

const brand = Symbol.for("sluice.InvalidOptionsError");

/** One thing that is wrong with what a caller gave. */
export interface OptionsProblem {
  /** Where, as it would be written in code: `limits[0].max`. */
  readonly path: string;
  /** What would have been right: `an integer of 0 or more`. */
  readonly expected: string;
  /** What came, with its type: `NaN (number)`. */
  readonly received: string;
}

/**
 * A factory or a question was given bad input. Thrown at once (by `admit` as a rejected promise)
 * and lists every problem, not only the first. A mistake of the program, never a full limit.
 */
export class InvalidOptionsError extends Error {
  override readonly name = "InvalidOptionsError";
  readonly code = "SLUICE_INVALID_OPTIONS";
  readonly problems: readonly OptionsProblem[];
  readonly [brand] = true;

  constructor(subject: string, problems: readonly OptionsProblem[]) {
    const lines = problems.map(
      ({ path, expected, received }) => `${path}: expected ${expected}, received ${received}`,
    );
    super(`Invalid ${subject}: ${lines.join("; ")}`);
    this.problems = problems;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasBrand(value, brand);
  }
}
