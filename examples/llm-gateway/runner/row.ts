/** One line of the table. */
export interface Row {
  readonly what: string;
  readonly measured: string;
  /** With its tolerance; empty on a line that is only shown beside the others. */
  readonly expected: string;
  /** Undefined on a line that is only shown beside the others. */
  readonly isOk?: boolean;
}

/** Passes if both are the same text or number. */
export function same(what: string, measured: string | number, expected: string | number): Row {
  return {
    what,
    measured: String(measured),
    expected: String(expected),
    isOk: measured === expected,
  };
}

/** Passes if every value lies in the range, and there is at least one. */
export function within(what: string, values: readonly number[], range: Range): Row {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, expected } = range;
  const { below = Number.POSITIVE_INFINITY } = range;
  const unit = range.unit ?? "";
  return {
    what,
    measured: values.length === 0 ? "none" : spread(values, unit),
    expected,
    isOk:
      values.length > 0 && values.every((value) => value >= min && value <= max && value < below),
  };
}

/** Shown beside the others, not judged. */
export function shown(what: string, measured: string): Row {
  return { what, measured, expected: "" };
}

/** Bounds, and how they are written in the table. */
export interface Range {
  /** Inclusive. */
  readonly min?: number;
  /** Inclusive. */
  readonly max?: number;
  /** Exclusive. */
  readonly below?: number;
  readonly expected: string;
  readonly unit?: string;
}

/** The smallest and the largest value, or the one that both are. */
function spread(values: readonly number[], unit = ""): string {
  const low = rounded(Math.min(...values));
  const high = rounded(Math.max(...values));
  const suffix = unit === "" ? "" : ` ${unit}`;
  return low === high ? `${low}${suffix}` : `${low} to ${high}${suffix}`;
}

function rounded(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}
