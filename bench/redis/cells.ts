import type { SubjectName } from "./contender/contenders";

const KEYS = 5000;
const IN_FLIGHT = [1, 8, 64, 512];

/** The number of questions under way for which most targets are set. */
export const IN_FLIGHT_OF_TARGETS = 64;

/** Situations that share keys and limits. */
export interface Part {
  readonly limits: number;
  readonly keys: number;
  readonly subjects: readonly SubjectName[];
  readonly inFlight: readonly number[];
}

const limiters: readonly SubjectName[] = ["sluice", "rate-limiter-flexible"];
const all: readonly SubjectName[] = [...limiters, "bare EVALSHA", "bare INCR"];

const parts = {
  "one-limit": { limits: 1, keys: KEYS, subjects: all, inFlight: IN_FLIGHT },
  "three-limits": { limits: 3, keys: KEYS, subjects: limiters, inFlight: IN_FLIGHT },
  "hot-key": { limits: 1, keys: 1, subjects: all, inFlight: [IN_FLIGHT_OF_TARGETS] },
} as const satisfies Record<string, Part>;

export type PartName = keyof typeof parts;

/** Names of the parts of this benchmark. */
export const redisParts = Object.keys(parts) as readonly PartName[];

export function partOf(name: PartName): Part {
  return parts[name];
}
