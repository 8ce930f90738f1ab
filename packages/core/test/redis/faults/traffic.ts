import type { Limiter, Question, Reason, Verdict, VerdictSource } from "@sluice/core";
import { pollUntil } from "../../../../../tools/redis/poll-until";
import { LoopProbe } from "./loop-probe";

const DISTURBED_MS = 20;

/** One question and its answer; instants by `performance.now()`. */
export interface Observed {
  readonly askedMs: number;
  readonly endedMs: number;
  readonly admitted: boolean;
  readonly reason: Reason | undefined;
  readonly source: VerdictSource;
}

/** Who answered: what an unavailable store leaves to a policy says so. */
export function sourceOf(verdict: Verdict<unknown>): VerdictSource {
  return verdict.statuses[0]?.source ?? "policy";
}

/** Asks a limiter one question again and again, at a steady rate, and records each answer. */
export class Traffic {
  readonly observed: Observed[] = [];
  readonly #limiter: Limiter;
  readonly #question: () => Question;
  readonly #probe = new LoopProbe();
  readonly #timer: NodeJS.Timeout;
  #asked = 0;
  #failure: unknown;

  constructor(limiter: Limiter, question: () => Question, everyMs: number) {
    this.#limiter = limiter;
    this.#question = question;
    this.#timer = setInterval(() => void this.#ask(), everyMs);
  }

  get asked(): number {
    return this.#asked;
  }

  /** Waits for an answer that fits. @throws Error after `timeoutMs`, with what was waited for. */
  until(what: string, fits: (observed: Observed) => boolean, timeoutMs: number): Promise<Observed> {
    let next = this.observed.length;
    return pollUntil(
      () => {
        const found = this.observed.slice(next).find(fits);
        next = this.observed.length;
        return found;
      },
      { what, timeoutMs },
    );
  }

  /**
   * Asks no more, and waits for the answers that are still to come.
   *
   * @throws Error if a question was not answered within 5 seconds, or by an exception.
   */
  async stop(): Promise<readonly Observed[]> {
    clearInterval(this.#timer);
    await pollUntil(() => this.observed.length === this.#asked || this.#failure !== undefined, {
      what: "every question is answered",
      timeoutMs: 5_000,
    });
    this.#probe.stop();
    if (this.#failure !== undefined) {
      throw new Error("expected verdicts only", { cause: this.#failure });
    }
    return this.observed;
  }

  /** How long an answer took, without what the event loop stood still meanwhile. */
  durationMs({ askedMs, endedMs }: Observed): number {
    return endedMs - askedMs - this.#probe.stalledMs(askedMs, endedMs);
  }

  /** Whether the machine was busy with other things meanwhile, so that a time-out says nothing. */
  isDisturbed({ askedMs, endedMs }: Observed): boolean {
    return this.#probe.stalledMs(askedMs, endedMs) > DISTURBED_MS;
  }

  async #ask(): Promise<void> {
    this.#asked += 1;
    const askedMs = performance.now();
    try {
      const verdict = await this.#limiter.admit(this.#question());
      const { admitted } = verdict;
      const reason = verdict.admitted ? undefined : verdict.rejection.reason;
      const endedMs = performance.now();
      this.observed.push({ askedMs, endedMs, admitted, reason, source: sourceOf(verdict) });
    } catch (error) {
      this.#failure = error;
    }
  }
}
