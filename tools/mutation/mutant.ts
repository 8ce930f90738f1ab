/** One small mistake that could be in a source file, as a replacement of a piece of its text. */
export interface Mutant {
  /** What kind of mistake it is: `operator`, `number`, ... */
  readonly kind: string;
  /** Where the replaced text begins, counted from 1. */
  readonly line: number;
  readonly column: number;
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

/** The text with the mistake in it. */
export function textWith(text: string, { start, end, after }: Mutant): string {
  return text.slice(0, start) + after + text.slice(end);
}
