import type { ConcurrencyLimit, Limit } from "@sluice/core";
import type { Book } from "./book";
import { FixedWindowBook } from "./fixed-window-book";
import { slidingLogBook, slidingWindowBook } from "./sliding-books";
import { Slots } from "./slots";
import { TokenBucketBook } from "./token-bucket-book";

/** A limit that counts units, as opposed to one that hands out slots. */
export type CountingLimit = Exclude<Limit, ConcurrencyLimit>;

/** All books and slots of one descriptor, by the names of its limits. */
export class SubjectBooks {
  readonly #books = new Map<string, { readonly limit: CountingLimit; readonly book: Book }>();
  readonly #slots = new Map<string, Slots>();

  /** The book as it is, or a fresh one if there is none or it was written for another shape. */
  read(limit: CountingLimit): Book {
    const kept = this.#books.get(limit.name);
    return kept !== undefined && haveOneShape(kept.limit, limit) ? kept.book : freshBook(limit);
  }

  /** Whether something that may still count was written under the name for another shape. */
  isTakenByAnotherShape(limit: CountingLimit, nowMs: number): boolean {
    const kept = this.#books.get(limit.name);
    if (kept === undefined || haveOneShape(kept.limit, limit)) return false;
    return !kept.book.isOver(kept.limit, nowMs);
  }

  /** The same, and keeps it. */
  open(limit: CountingLimit): Book {
    const book = this.read(limit);
    this.#books.set(limit.name, { limit, book });
    return book;
  }

  slots(limit: ConcurrencyLimit): Slots {
    const slots = this.#slots.get(limit.name) ?? new Slots();
    this.#slots.set(limit.name, slots);
    return slots;
  }

  forgetCounters(): void {
    this.#books.clear();
  }
}

function freshBook(limit: CountingLimit): Book {
  switch (limit.kind) {
    case "fixed-window":
      return new FixedWindowBook() as Book;
    case "sliding-window":
      return slidingWindowBook() as Book;
    case "sliding-log":
      return slidingLogBook() as Book;
    case "token-bucket":
      return new TokenBucketBook() as Book;
  }
}

function haveOneShape(a: CountingLimit, b: CountingLimit): boolean {
  return shapeOf(a) === shapeOf(b);
}

/** What makes two limits of one name share state. */
function shapeOf(limit: CountingLimit): string {
  switch (limit.kind) {
    case "fixed-window":
    case "sliding-log":
      return JSON.stringify([limit.kind, limit.unit, limit.windowMs]);
    case "sliding-window":
      return JSON.stringify([limit.kind, limit.unit, limit.windowMs, limit.buckets]);
    case "token-bucket":
      return JSON.stringify([limit.kind, limit.unit, limit.perMs]);
  }
}
