import type { OptionsReader, Problems } from "@sluice/core";

/** The bounds of a list. */
export interface ListBounds {
  /** @defaultValue 0: then the list may be absent too */
  readonly min?: number;
  readonly max: number;
  /** What it is a list of. */
  readonly of: string;
}

/** The members of a list with their paths; a problem, and none, if it is no such list. */
export function listOf(
  reader: OptionsReader,
  problems: Problems,
  path: string,
  { min = 0, max, of }: ListBounds,
): readonly (readonly [unknown, string])[] {
  const name = path.slice(path.lastIndexOf(".") + 1);
  const value = reader.raw(name);
  if (value === undefined && min === 0) return [];
  if (Array.isArray(value) && value.length >= min && value.length <= max) {
    return value.map((member, index) => [member, `${path}[${index}]`]);
  }
  problems.add(path, `a list of ${min} to ${max} ${of}`, value);
  return [];
}
