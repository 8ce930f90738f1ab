import type { ContenderName } from "../contender/contenders";
import type { Answer } from "./cell";

/** Those that are compared everywhere. */
const everywhere: readonly ContenderName[] = [
  "sluice",
  "rate-limiter-flexible",
  "express-rate-limit",
  "limiter",
  "floor",
];

/** Other ways of asking us the same, at the number of keys for which the targets are set. */
const waysToAsk: readonly ContenderName[] = [
  "sluice, admit + release",
  "sluice, cost given, id of two parts",
  "sluice, questions kept",
];

const KEYS_OF_TARGETS = 10_000;
const KEY_COUNTS = [1, KEYS_OF_TARGETS, 1_000_000];
const LIMIT_COUNTS = [1, 3, 6];

/** Contenders that are compared in one go. */
export interface Group {
  readonly keys: number;
  readonly limits: number;
  readonly contenders: Readonly<Record<Answer, readonly ContenderName[]>>;
  readonly rounds: number;
}

/** All situations: numbers of keys and limits, each admitted and rejected. */
export function allGroups(): readonly Group[] {
  return KEY_COUNTS.flatMap((keys) =>
    LIMIT_COUNTS.map((limits) => ({
      keys,
      limits,
      contenders: contendersIn(keys, limits),
      rounds: keys === KEYS_OF_TARGETS ? 25 : 15,
    })),
  );
}

function contendersIn(keys: number, limits: number): Group["contenders"] {
  if (keys !== KEYS_OF_TARGETS) return { admitted: everywhere, rejected: everywhere };
  const [us, ...others] = everywhere as [ContenderName, ...ContenderName[]];
  if (limits === 1) return { admitted: [us, ...waysToAsk, ...others], rejected: everywhere };
  const withSubjects = [us, "sluice, a descriptor per limit", ...others] as const;
  return { admitted: withSubjects, rejected: withSubjects };
}
