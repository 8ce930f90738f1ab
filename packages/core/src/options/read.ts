import type { Problems } from "./problems";

/**
 * One reader for the options object of a factory. Strict: an unknown name is a problem, and nothing
 * is clamped, coerced or defaulted because it was bad. After a problem the readers return the
 * fallback, so that reading goes on and every problem is found; `Problems.throwIfAny` then throws.
 */
export class OptionsReader {
  readonly #source: Readonly<Record<string, unknown>>;
  readonly #problems: Problems;
  readonly #prefix: string;

  constructor(source: unknown, known: readonly string[], problems: Problems, prefix = "") {
    this.#problems = problems;
    this.#prefix = prefix;
    if (typeof source !== "object" || source === null || Array.isArray(source)) {
      problems.add(prefix === "" ? "options" : prefix, "an options object", source);
      this.#source = {};
      return;
    }
    this.#source = source as Record<string, unknown>;
    for (const name of Object.keys(source)) {
      if (known.includes(name)) continue;
      problems.add(this.#path(name), `no such option (known: ${known.join(", ")})`, this.raw(name));
    }
  }

  #path(name: string): string {
    return this.#prefix === "" ? name : `${this.#prefix}.${name}`;
  }

  /** The value as given; inherited names do not count. */
  raw(name: string): unknown {
    return Object.hasOwn(this.#source, name) ? this.#source[name] : undefined;
  }

  isGiven(name: string): boolean {
    return this.raw(name) !== undefined;
  }

  problem(name: string, expected: string): void {
    this.#problems.add(this.#path(name), expected, this.raw(name));
  }

  /** An integer of `min` to `max`, both inclusive. Without a `fallback` the option is required. */
  integer(name: string, range: IntegerRange): number {
    const { min, max = Number.MAX_SAFE_INTEGER, fallback } = range;
    const value = this.raw(name);
    if (value === undefined && fallback !== undefined) return fallback;
    // Adding 0 makes 0 of -0, which comparisons by identity would tell apart.
    if (isIntegerWithin(value, min, max)) return value + 0;
    this.problem(name, integerText(min, max));
    return fallback ?? min;
  }

  /** A finite number of `min` to `max`, both inclusive. */
  number(name: string, range: NumberRange): number {
    const value = this.raw(name);
    if (value === undefined) return range.fallback;
    if (typeof value === "number" && value >= range.min && value <= range.max) return value;
    this.problem(name, `a number from ${range.min} to ${range.max}`);
    return range.fallback;
  }

  oneOf<T extends string>(name: string, values: readonly T[], fallback: T): T {
    const value = this.raw(name);
    if (value === undefined) return fallback;
    if (values.includes(value as T)) return value as T;
    this.problem(name, `one of ${values.map((each) => JSON.stringify(each)).join(", ")}`);
    return fallback;
  }

  /** A text that matches `pattern`; `expected` says in words what that is. */
  text(name: string, pattern: RegExp, expected: string, fallback: string): string {
    const value = this.raw(name);
    if (value === undefined) return fallback;
    if (typeof value === "string" && pattern.test(value)) return value;
    this.problem(name, expected);
    return fallback;
  }

  /** A function, or `undefined` when absent; `expected` says in words what it is for. */
  optionalFunction<
    // biome-ignore lint/suspicious/noExplicitAny: any callable will do; its type is the caller's.
    F extends (...args: any[]) => unknown,
  >(name: string, expected = "a function"): F | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === "function") return value as F | undefined;
    this.problem(name, expected);
    return undefined;
  }

  /** An object that has the given methods (a port), or `undefined` when absent. */
  optionalPort<T>(name: string, methods: readonly string[]): T | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    const hasAll =
      typeof value === "object" &&
      value !== null &&
      methods.every((method) => typeof (value as Record<string, unknown>)[method] === "function");
    if (hasAll) return value as T;
    this.problem(name, `an object with the methods ${methods.join(", ")}`);
    return undefined;
  }
}

interface IntegerRange {
  readonly min: number;
  readonly max?: number;
  readonly fallback?: number;
}

interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly fallback: number;
}

export function isIntegerWithin(value: unknown, min: number, max: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
}

function integerText(min: number, max: number): string {
  return max === Number.MAX_SAFE_INTEGER
    ? `an integer of ${min} or more`
    : `an integer from ${min} to ${max}`;
}
