/** Which ASCII characters belong to a set, by code. */
export type Characters = Uint8Array;

/** The letters and digits of ASCII and the given characters. */
export function charactersOf(others: string): Characters {
  const alphabet = `abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789${others}`;
  const set = new Uint8Array(128);
  for (let index = 0; index < alphabet.length; index += 1) set[alphabet.charCodeAt(index)] = 1;
  return set;
}

/**
 * Whether every character of a text belongs to the set. Runs for every question, where a regular
 * expression costs several times as much.
 */
export function consistsOf(text: string, set: Characters): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (set[text.charCodeAt(index)] !== 1) return false;
  }
  return true;
}
