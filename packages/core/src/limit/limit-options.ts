import { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";
import type { LimitMode, Milliseconds } from "./limit";

/** Options that every limit constructor takes. */
export interface CommonLimitOptions {
  /**
   * Identity of the limit inside its descriptor: 1 to 64 characters of `[A-Za-z0-9_.-]`. State is
   * found by it, and HTTP headers show it.
   *
   * @defaultValue made from the constructor, the unit and the window: `fixed-window-requests-60s`
   */
  readonly name?: string;
  /**
   * `shadow` charges when it would admit and reports `wouldReject`, but never refuses and never
   * influences another limit: for trying a limit on live traffic.
   *
   * @defaultValue "enforce"
   */
  readonly mode?: LimitMode;
}

/** Options of every limit that counts a unit. */
export interface UnitOption {
  /**
   * What is counted: a unit that the limiter declares, 1 to 32 characters of `[a-z0-9_-]`.
   *
   * @defaultValue "requests"
   */
  readonly unit?: string;
}

/**
 * Pattern of limit names; they travel in HTTP headers, so quotes and non-ASCII text are refused.
 */
export const LIMIT_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** Pattern of unit names. */
export const UNIT_NAME = /^[a-z][a-z0-9_-]{0,31}$/;

const COMMON_OPTIONS = ["name", "mode"] as const;

/**
 * The longest window or lease: 100 years. A longer one is a mistake in the unit of time (seconds or
 * nanoseconds taken for milliseconds), and instants stay far below 2^53.
 */
export const DURATION_MAX_MS = 3_155_760_000_000;

/** Reads the options of one limit constructor and collects every problem. */
export class LimitReader {
  readonly options: OptionsReader;
  readonly #problems: Problems;

  constructor(constructorName: string, source: unknown, known: readonly string[]) {
    this.#problems = new Problems(`${constructorName} options`);
    this.options = new OptionsReader(source, [...known, ...COMMON_OPTIONS], this.#problems);
  }

  /**
   * Problems so far. A relation between options is looked at only if none of them is wrong itself.
   */
  get problemCount(): number {
    return this.#problems.count;
  }

  /** Notes what is wrong inside an option, such as `shares.batch`. */
  problemAt(path: string, expected: string, received: unknown): void {
    this.#problems.add(path, expected, received);
  }

  unit(): string {
    const expected = "a unit name of 1 to 32 characters of a-z, 0-9, _ and -, a letter first";
    const unit = this.options.text("unit", UNIT_NAME, expected, "requests");
    if (unit === "slots") this.options.problem("unit", "a unit other than slots (see concurrency)");
    return unit;
  }

  durationMs(name: string, fallback?: Milliseconds): Milliseconds {
    const range = { min: 1, max: DURATION_MAX_MS };
    return this.options.integer(name, fallback === undefined ? range : { ...range, fallback });
  }

  mode(): LimitMode {
    return this.options.oneOf("mode", ["enforce", "shadow"], "enforce");
  }

  name(fallback: string): string {
    const expected = "a name of 1 to 64 characters of A-Z, a-z, 0-9, _, . and -";
    return this.options.text("name", LIMIT_NAME, expected, fallback);
  }

  /** @throws InvalidOptionsError listing every problem found. */
  done<L extends object>(limit: L): Readonly<L> {
    this.#problems.throwIfAny();
    Object.defineProperty(limit, MADE_BY_CONSTRUCTOR, { value: true });
    return Object.freeze(limit);
  }
}

const MADE_BY_CONSTRUCTOR = Symbol.for("sluice.Limit");

/**
 * Whether a value is a limit made by one of the constructors, and so has been checked. A
 * hand-written object may hold NaN, and comparisons with NaN would make it unlimited.
 */
export function isLimit(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, MADE_BY_CONSTRUCTOR);
}

/** A duration for a name: `60s`, `1500ms`. */
export function durationText(durationMs: Milliseconds): string {
  return durationMs % 1000 === 0 ? `${durationMs / 1000}s` : `${durationMs}ms`;
}
