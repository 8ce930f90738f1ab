import type { Descriptor, Limit } from "@sluice/core";
import { fits } from "./book";
import type { SubjectBooks } from "./subject-books";

/** One row of a question. */
export interface Check {
  readonly descriptor: Descriptor;
  readonly limit: Limit;
  readonly cost: number;
  readonly books: SubjectBooks;
}

/** What one limit says to one cost before anything is charged. */
export interface Judgement {
  readonly passes: boolean;
  /** Whether the cost could ever pass. */
  readonly isPossible: boolean;
  /** Exact wait in milliseconds; absent if the check passes, never can, or waits for a slot. */
  readonly waitMs?: number;
}

export interface Judged {
  readonly check: Check;
  readonly judgement: Judgement;
}

/** Judges one check alone. */
export function judge({ limit, cost, books }: Check, nowMs: number): Judgement {
  const isPossible = limit.max > 0 && cost <= limit.max;
  if (!isPossible) return { passes: false, isPossible };
  if (limit.kind === "concurrency") {
    return { passes: books.slots(limit).used(nowMs) < limit.max, isPossible };
  }
  const book = books.read(limit);
  if (fits(book.used(limit, nowMs), cost, limit.max)) return { passes: true, isPossible };
  return { passes: false, isPossible, waitMs: book.waitMs(limit, cost, nowMs) };
}
