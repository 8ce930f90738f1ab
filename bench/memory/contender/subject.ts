import type { KeyWalk } from "../../key/key-walk";

/** What is asked of a limiter. */
export interface Setting {
  /** How many limits hold for each key. */
  readonly limits: number;
  /** The window of the shortest limit; the others are longer. */
  readonly windowMs: number;
}

/** A limiter under measurement. Its loops are its own, so that no two share compiled code. */
export interface Subject {
  /** Asks once for each key, of which it knows none yet. All of these are admitted. */
  fill(keys: readonly string[]): Promise<void>;
  /** Asks `count` times for keys that it knows; returns how many of these were admitted. */
  ask(walk: KeyWalk, count: number): Promise<number>;
  /**
   * From now on the last limit of every one of these keys is used up, so that each `ask` is
   * rejected. The other limits have room.
   */
  exhaust(keys: readonly string[]): Promise<void>;
  /** The text that it keeps for a key; the same string if it keeps the caller's own. */
  storedText(key: string): string;
  /** How many keys it holds, where it tells. */
  size?(): number;
}

/** A maximum that is never reached, and one that the question that fills a key has used up. */
export const PLENTY = 1_000_000_000;
export const USED_UP = 1;

/** The window of limit number `place` (0 first). */
export function windowMsOf({ windowMs }: Setting, place: number): number {
  return windowMs * (place + 1);
}

/** One value per limit of a setting. */
export function perLimit<T>({ limits }: Setting, make: (place: number) => T): T[] {
  return Array.from({ length: limits }, (_, place) => make(place));
}
