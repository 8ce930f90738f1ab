import type { Cost, Descriptor, Limit, Question } from "@sluice/core";
import type { Book } from "./book";
import type { Charge } from "./charge";
import { type Check, type Judged, judge } from "./judge";
import type { ModelVerdict } from "./model-verdict";
import type { Lease, Slots } from "./slots";
import { type CountingLimit, SubjectBooks } from "./subject-books";
import { isViolated, verdictOf } from "./verdict-of";

/** One reservation of a permit. `charge` is absent if the cost was 0. */
interface Reservation {
  readonly books: SubjectBooks;
  readonly book: Book;
  readonly limit: CountingLimit;
  readonly reserved: number;
  readonly charge: Charge | undefined;
}

/** What the model says an admitted caller holds. */
export interface ModelPermit {
  /** Names of the limits that wiped out what counted under their name for another shape. */
  readonly replaced: readonly string[];
  readonly reservations: readonly Reservation[];
  readonly slots: readonly { readonly slots: Slots; readonly lease: Lease }[];
  isClosed: boolean;
}

/**
 * A limiter that keeps every charge on a list and answers by looking through it. Slow, and simple
 * enough to be right by reading; it shares no code with the engine that it judges.
 */
export class ModelLimiter {
  readonly #subjects = new Map<string, SubjectBooks>();

  peek(question: Question, nowMs: number): ModelVerdict {
    const judged = this.#judge(question, nowMs);
    return verdictOf(judged, nowMs);
  }

  admit(question: Question, nowMs: number): { verdict: ModelVerdict; permit?: ModelPermit } {
    const judged = this.#judge(question, nowMs);
    if (judged.some(isViolated)) return { verdict: verdictOf(judged, nowMs) };
    const permit = this.#charge(judged, nowMs);
    return { verdict: verdictOf(judged, nowMs), permit };
  }

  settle(permit: ModelPermit, actual: Cost, nowMs: number): void {
    if (permit.isClosed) return;
    for (const reservation of permit.reservations) {
      const units = actual[reservation.limit.unit] ?? reservation.reserved;
      correct(reservation, units, nowMs);
    }
    this.release(permit);
  }

  refund(permit: ModelPermit, nowMs: number): void {
    if (permit.isClosed) return;
    for (const reservation of permit.reservations) correct(reservation, 0, nowMs);
    this.release(permit);
  }

  release(permit: ModelPermit): void {
    permit.isClosed = true;
    for (const { slots, lease } of permit.slots) slots.free(lease);
  }

  /** The holder is gone without a word: nothing is given back, and nothing renews its leases. */
  crash(permit: ModelPermit): void {
    permit.isClosed = true;
    for (const { lease } of permit.slots) lease.isHeld = false;
  }

  reset(descriptors: readonly Descriptor[]): void {
    for (const descriptor of descriptors) this.#booksOf(descriptor).forgetCounters();
  }

  #judge(question: Question, nowMs: number): Judged[] {
    return question.descriptors.flatMap((descriptor) =>
      (descriptor.limits as readonly Limit[]).map((limit) => {
        const books = this.#booksOf(descriptor);
        const check: Check = { descriptor, limit, cost: costOf(question, limit), books };
        return { check, judgement: judge(check, nowMs) };
      }),
    );
  }

  #charge(judged: readonly Judged[], nowMs: number): ModelPermit {
    const reservations: Reservation[] = [];
    const slots: { slots: Slots; lease: Lease }[] = [];
    const replaced: string[] = [];
    for (const { check, judgement } of judged) {
      if (!judgement.passes) continue;
      const { books, limit, cost } = check;
      if (limit.kind === "concurrency") {
        const of = books.slots(limit);
        slots.push({ slots: of, lease: of.take(limit, nowMs) });
      } else {
        if (cost > 0 && books.isTakenByAnotherShape(limit, nowMs)) replaced.push(limit.name);
        const book = cost === 0 ? books.read(limit) : books.open(limit);
        const charge = cost === 0 ? undefined : book.charge(limit, cost, nowMs);
        reservations.push({ books, book, limit, reserved: cost, charge });
      }
    }
    return { replaced, reservations, slots, isClosed: false };
  }

  #booksOf(descriptor: Descriptor): SubjectBooks {
    const key = JSON.stringify([descriptor.kind, descriptor.id]);
    const books = this.#subjects.get(key) ?? new SubjectBooks();
    this.#subjects.set(key, books);
    return books;
  }
}

function costOf(question: Question, limit: Limit): number {
  if (limit.kind === "concurrency") return 1;
  return question.cost?.[limit.unit] ?? (limit.unit === "requests" ? 1 : 0);
}

/**
 * Makes a reservation what it should have been: gives back what is too much, charges what lacks.
 * What was meant for a limit of another shape is dropped: it must not wipe out what counts there.
 */
function correct(reservation: Reservation, actual: number, nowMs: number): void {
  const { books, book, limit, reserved, charge } = reservation;
  if (books.isTakenByAnotherShape(limit, nowMs)) return;
  const isSameBook = charge !== undefined && books.read(limit) === book;
  if (actual < reserved && isSameBook) book.giveBack(limit, charge, reserved - actual, nowMs);
  if (actual > reserved && isSameBook) book.chargeMore(limit, charge, actual - reserved, nowMs);
  if (actual > reserved && !isSameBook) books.open(limit).charge(limit, actual - reserved, nowMs);
}
