import { record } from "../event/recorder";
import type { Milliseconds } from "../limit/limit";
import { Problems } from "../options/problems";
import type { Outcome } from "../verdict/outcome";
import {
  type AdaptiveThrottleConfig,
  type AdaptiveThrottleOptions,
  parseAdaptiveThrottleOptions,
} from "./adaptive-throttle-options";
import {
  type OutboundPermit,
  type OutboundVerdict,
  outboundAdmitted,
  outboundRejected,
} from "./outbound-permit";
import type { CallCounts } from "./throttle-probability";
import { type CallFate, ThrottleWindow } from "./throttle-window";

/** The counters of one criticality at one instant. */
export interface ThrottleStats extends CallCounts {
  /** The probability with which the next call is refused, probes aside. */
  readonly rejectionProbability: number;
}

/** Refuses calls that an upstream is going to refuse anyway. Made by {@link adaptiveThrottle}. */
export interface AdaptiveThrottle {
  /**
   * Lets a call pass or refuses it with `throttled`, at once. A refusal counts as a request. A call
   * that passes counts when its fate is known: `firstByte` or `success` as accepted, `dropped` as a
   * request that was not accepted, `ignored` not at all; a call that is still running says nothing
   * yet.
   *
   * @throws InvalidOptionsError if `criticality` is not one of the configured names.
   */
  admit(criticality?: string): OutboundVerdict;
  /**
   * The counters of the window that ends now.
   *
   * @throws InvalidOptionsError as `admit` does.
   */
  stats(criticality?: string): ThrottleStats;
}

/**
 * Makes a throttle for the calls of this process to one upstream. While the upstream accepts at
 * least 1/k of the calls, all pass. When it accepts less, the throttle refuses, by chance, so many
 * that about k times what is accepted is still sent; one call per second passes in any case. Within
 * one window after the upstream has recovered nothing is refused any more.
 *
 * @throws InvalidOptionsError listing every problem.
 * @remarks The client-side throttle of "Handling Overload" in Google's Site Reliability
 * Engineering. Different here: k is 1.5 where the book has 2, the window 30 s where it has two
 * minutes; the forced call per second, and that refusals end with a window of accepted calls, are
 * learned from go-zero (by the formula alone that takes several windows); and a call counts when
 * its fate is known, not when it starts, because a burst of slow calls at the start would look like
 * one that is refused.
 *
 * @example
 * ```ts
 * const throttle = adaptiveThrottle();
 * const verdict = throttle.admit();
 * if (verdict.admitted) {
 *   const answer = await fetch("http://upstream.example/");
 *   verdict.permit.end(answer.status === 503 ? "dropped" : "success");
 * }
 * ```
 */
export function adaptiveThrottle(options: AdaptiveThrottleOptions = {}): AdaptiveThrottle {
  return new ClientThrottle(parseAdaptiveThrottleOptions(options));
}

interface Book {
  readonly window: ThrottleWindow;
  /** When a call of this criticality passed last. */
  passedMs: Milliseconds;
}

class ClientThrottle implements AdaptiveThrottle {
  readonly #config: AdaptiveThrottleConfig;
  /** Made at the first call of its criticality; a name that is not configured never gets here. */
  readonly #books = new Map<string, Book>();

  constructor(config: AdaptiveThrottleConfig) {
    this.#config = config;
  }

  admit(criticality?: string): OutboundVerdict {
    const { clock, random, probeEveryMs } = this.#config;
    const nowMs = clock.nowMs();
    const name = this.#nameOf(criticality);
    const book = this.#bookOf(name, nowMs);
    const probability = book.window.probabilityAt(nowMs);
    const isRefused = probability > 0 && random.next() < probability;
    if (isRefused && nowMs - book.passedMs < probeEveryMs) return this.#refuse(book, name, nowMs);
    book.passedMs = nowMs;
    return outboundAdmitted(new ThrottlePermit((fate) => book.window.add(fate, clock.nowMs())));
  }

  stats(criticality?: string): ThrottleStats {
    const nowMs = this.#config.clock.nowMs();
    const book = this.#books.get(this.#nameOf(criticality));
    if (book === undefined) return { requests: 0, accepts: 0, rejectionProbability: 0 };
    const counts = book.window.countsAt(nowMs);
    return { ...counts, rejectionProbability: book.window.probabilityAt(nowMs) };
  }

  #refuse(book: Book, criticality: string, nowMs: Milliseconds): OutboundVerdict {
    const { recorder, name, random, retryAfterMs } = this.#config;
    book.window.add("refused", nowMs);
    const hintMs = Math.ceil(retryAfterMs * (0.75 + 0.25 * random.next()));
    record(recorder, {
      type: "outbound_rejected",
      outbound: name,
      reason: "throttled",
      criticality,
      retryAfterMs: hintMs,
    });
    return outboundRejected("throttled", hintMs);
  }

  #nameOf(criticality: string | undefined): string {
    const { criticalities } = this.#config;
    if (criticality === undefined) return criticalities[0] as string;
    if (!criticalities.includes(criticality)) {
      const problems = new Problems("call");
      problems.add("criticality", `one of ${criticalities.join(", ")}`, criticality);
      problems.throwIfAny();
    }
    return criticality;
  }

  #bookOf(name: string, nowMs: Milliseconds): Book {
    let book = this.#books.get(name);
    if (book === undefined) {
      book = { window: new ThrottleWindow(this.#config, nowMs), passedMs: nowMs };
      this.#books.set(name, book);
    }
    return book;
  }
}

/** Counts its call once: as accepted at the first byte, else by its outcome. */
class ThrottlePermit implements OutboundPermit {
  readonly #count: (fate: CallFate) => void;
  #isCounted = false;

  constructor(count: (fate: CallFate) => void) {
    this.#count = count;
  }

  firstByte(): void {
    this.end("success");
  }

  end(outcome: Outcome = "success"): void {
    if (this.#isCounted) return;
    this.#isCounted = true;
    if (outcome === "success") this.#count("accepted");
    else if (outcome === "dropped") this.#count("dropped");
  }
}
