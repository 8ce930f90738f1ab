/** An option of a client that endangers exactness or bounded waits. */
export interface ClientWarning {
  /** Its path in the options of the client: `maxRetriesPerRequest`, `socket.socketTimeout`. */
  readonly option: string;
  /** What the client has: a value as text, `unset`, or `not shown` where it does not tell. */
  readonly found: string;
  readonly recommended: string;
  /** What may happen otherwise, in one sentence. */
  readonly why: string;
}

/** What an option should be. */
export interface OptionRule {
  readonly option: string;
  readonly recommended: string;
  readonly why: string;
  readonly isGood: (value: unknown, options: object) => boolean;
}

/** The warnings of those rules that the options break; all of them where nothing is shown. */
export function warningsOf(
  rules: readonly OptionRule[],
  options: object | "not shown",
): readonly ClientWarning[] {
  return rules.flatMap(({ option, recommended, why, isGood }) => {
    if (options === "not shown") return [{ option, found: "not shown", recommended, why }];
    const value = valueAt(options, option);
    return isGood(value, options) ? [] : [{ option, found: textOf(value), recommended, why }];
  });
}

export const is = (expected: unknown) => (value: unknown) => value === expected;

export const isUnset = (value: unknown) => value === undefined || value === null;

export const isWithin = (min: number, max: number) => (value: unknown) =>
  typeof value === "number" && value >= min && value <= max;

function valueAt(options: object, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => {
    if (typeof value !== "object" || value === null) return undefined;
    return (value as Record<string, unknown>)[name];
  }, options);
}

function textOf(value: unknown): string {
  if (isUnset(value)) return "unset";
  if (typeof value === "function") return "a function";
  return typeof value === "object" ? "an object" : String(value);
}
