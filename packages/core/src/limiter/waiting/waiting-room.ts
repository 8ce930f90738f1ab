import type { Clock } from "../../clock/clock";
import type { DescriptorKey } from "../../engine/command";
import type { Recorder } from "../../event/recorder";
import type { Milliseconds } from "../../limit/limit";
import type { Place } from "../../queue/class-queues";
import type { Reason, Rejected, Verdict } from "../../verdict/verdict";
import type { Peek } from "../limiter";
import type { LimiterPermit } from "../permit";
import type { Question } from "../question";
import type { ReadQuestion } from "../read-question";
import { type Ask, Asker } from "./asker";
import { type Blocked, blockedBy, keyOfStatus, limitOfStatus } from "./blocked";
import { LimitWaiter } from "./limit-waiter";
import type { Line } from "./line";
import { LineService } from "./line-service";
import { descriptorKey, Lines } from "./lines";
import type { WaitingConfig } from "./waiting-options";
import { type LimiterStats, WaitingReport } from "./waiting-report";

type LimiterVerdict = Verdict<LimiterPermit>;

/** What the room needs of its limiter. */
export interface WaitingHost {
  readonly clock: Clock;
  readonly recorder: Recorder | undefined;
  readonly bounds: WaitingConfig;
  readonly ask: Ask;
  readonly peek: (question: Question, read: ReadQuestion) => Promise<Peek>;
  /** A wait for what nobody knows, jittered. */
  readonly hintMs: () => Milliseconds;
}

/** A line, and the class in it. */
interface Spot {
  readonly line: Line<LimitWaiter>;
  readonly className: string;
}

/**
 * Where questions wait for limits: a {@link Line} per limit of a descriptor for which somebody
 * waits. A question waits for the limit that refused it, and of several for the one with the
 * longest wait; when its turn comes and another one refuses it, it goes to the end of that line.
 *
 * Invariant, between two calls from outside: every head of every line was refused by the store
 * after everything of which this process knows that it was given back, or is being asked for now.
 * So nobody waits beside capacity that this process has freed.
 *
 * What other processes give back is not told. A head with a known wait is asked for again exactly
 * then, one without (slots) after the jittered hint of the limiter.
 */
export class WaitingRoom {
  readonly #host: WaitingHost;
  readonly #lines = new Lines<LimitWaiter>();
  readonly #report: WaitingReport;
  readonly #asker: Asker;
  readonly #service: LineService;
  #isClosed = false;

  constructor(host: WaitingHost) {
    this.#host = host;
    this.#report = new WaitingReport(host.recorder);
    this.#asker = new Asker(host.clock, host.ask);
    this.#service = new LineService(host.clock, this.#asker, {
      isInTime: (waiter) => this.#isInTime(waiter),
      onAnswer: (line, place, verdict) => this.#onAnswer(line, place, verdict),
      onEmpty: (line) => this.#lines.remove(line),
    });
  }

  get isEmpty(): boolean {
    return this.#report.queued === 0;
  }

  stats(): LimiterStats {
    return this.#report.stats(this.#lines.count);
  }

  /** The verdict of a question that is ready to wait, or before which others may be waiting. */
  async admit(question: Question, read: ReadQuestion): Promise<LimiterVerdict> {
    const spot = this.#spotBehindOthers(question, read);
    if (read.maxWaitMs === 0) {
      return spot === undefined ? this.#host.ask(question, read) : this.#askOnly(question, read);
    }
    const waiter = new LimitWaiter(question, read, this.#host.clock.nowMs());
    if (spot === undefined) {
      const asked = this.#asker.askFirst(waiter, (verdict, isStale) =>
        this.#onFirstAnswer(waiter, verdict, isStale),
      );
      if (asked instanceof Promise) await asked;
    } else this.#joinOthers(waiter, spot);
    return waiter.verdict;
  }

  /** Something of these descriptors was given back, by a permit of this limiter or by a reset. */
  wake(targets: readonly DescriptorKey[]): void {
    // Every permit that gives something back comes by here, and mostly nobody waits.
    if (this.isEmpty && !this.#asker.isAsking) return;
    for (const target of targets) {
      const key = descriptorKey(target);
      this.#asker.note(key);
      for (const line of this.#lines.of(key)) this.#service.serve(line);
    }
  }

  /** Refuses all who wait, and who comes later (`draining`). */
  close(): void {
    this.#isClosed = true;
    for (const line of this.#lines.all()) {
      while (line.queue.length > 0) {
        const waiter = line.queue.next()?.item;
        if (waiter !== undefined) this.#giveUp(waiter, "draining");
      }
      line.cancelTimer();
      this.#lines.remove(line);
    }
  }

  /** The line of one of its limits in which others of its class wait already. */
  #spotBehindOthers(
    { descriptors, priority }: Question,
    { targets }: ReadQuestion,
  ): Spot | undefined {
    if (this.isEmpty) return undefined;
    for (const [index, target] of targets.entries()) {
      const key = descriptorKey(target);
      for (const limit of descriptors[index]?.limits ?? []) {
        const line = limit.mode === "enforce" ? this.#lines.find(key, limit.name) : undefined;
        const className = line?.classFor(limit, priority);
        if (line === undefined || className === undefined) continue;
        if (line.queue.lengthOf(className) > 0) return { line, className };
      }
    }
    return undefined;
  }

  /** Who does not wait does not overtake either: nothing is charged. */
  async #askOnly(question: Question, read: ReadQuestion): Promise<LimiterVerdict> {
    const peeked = await this.#host.peek(question, read);
    if (!peeked.admitted) return peeked;
    return { ...this.#rejected("queue_full", this.#host.hintMs()), statuses: peeked.statuses };
  }

  #onFirstAnswer(waiter: LimitWaiter, verdict: LimiterVerdict, isStale: boolean): void {
    const inTime = verdict.admitted ? undefined : this.#noteRefusal(waiter, verdict);
    // What it was told may not be true any more: whatever the wait, it is asked for in its turn.
    const blocked = isStale && !verdict.admitted ? blockedBy(verdict) : inTime;
    if (blocked === undefined) this.#settle(waiter, verdict);
    else this.#append(waiter, this.#spotFor(waiter, blocked));
    if (isStale && waiter.line !== undefined) this.#service.serve(waiter.line);
  }

  /** What to wait for, if there is anything that ends in time. */
  #noteRefusal(waiter: LimitWaiter, refusal: Rejected): Blocked | undefined {
    const blocked = blockedBy(refusal);
    if (blocked === undefined) return undefined;
    const nowMs = this.#host.clock.nowMs();
    const waitMs = blocked.waitMs ?? this.#host.hintMs();
    waiter.refusal = refusal;
    waiter.retryAtMs = nowMs + waitMs;
    waiter.isRetryExact = blocked.waitMs !== undefined;
    return waiter.isRetryExact && waitMs > waiter.leftMs(nowMs) ? undefined : blocked;
  }

  #spotFor(waiter: LimitWaiter, { by }: Blocked): Spot {
    const line = this.#lines.findOrMake(keyOfStatus(by), by.name);
    return { line, className: line.classFor(limitOfStatus(by), waiter.question.priority) };
  }

  /** Whom it would have to wait for tells how long that takes at least. */
  #joinOthers(waiter: LimitWaiter, spot: Spot): void {
    const first = spot.line.queue.firstOf(spot.className)?.item;
    const aheadMs = first?.isRetryExact ? first.retryAtMs - this.#host.clock.nowMs() : 0;
    if (aheadMs > waiter.maxWaitMs) {
      this.#settle(waiter, this.#rejected("deadline_unreachable", aheadMs));
    } else this.#append(waiter, spot);
  }

  #append(waiter: LimitWaiter, { line, className }: Spot): void {
    const refused = this.#refusalBefore(waiter, line);
    if (refused !== undefined) {
      this.#settle(waiter, refused);
      if (line.queue.length === 0 && !line.isServed) this.#lines.remove(line);
      return;
    }
    waiter.line = line;
    waiter.place = line.queue.append(waiter, className);
    if (!waiter.isWaiting) {
      waiter.startWaiting(this.#host.clock, {
        onTime: () => this.#onTime(waiter),
        onAbort: () => this.#giveUp(waiter, "aborted"),
      });
      this.#report.began(waiter);
    }
    if (line.queue.isHead(waiter.place)) this.#service.serveAt(line, waiter.retryAtMs);
  }

  #refusalBefore(waiter: LimitWaiter, line: Line<LimitWaiter>): Rejected | undefined {
    const { max, maxPerLimit } = this.#host.bounds;
    const others = this.#report.queued - (waiter.isWaiting ? 1 : 0);
    if (this.#isClosed) return this.#rejected("draining", this.#host.hintMs());
    if (waiter.question.signal?.aborted) return this.#rejected("aborted");
    if (others < max && line.queue.length < maxPerLimit) return undefined;
    return this.#rejected("queue_full", this.#waitLeftMs(waiter), waiter.refusal);
  }

  #isInTime(waiter: LimitWaiter): boolean {
    if (waiter.leftMs(this.#host.clock.nowMs()) >= 0) return true;
    this.#leave(waiter);
    this.#settle(waiter, this.#rejected("queue_timeout", this.#waitLeftMs(waiter), waiter.refusal));
    return false;
  }

  #onAnswer(line: Line<LimitWaiter>, place: Place<LimitWaiter>, verdict: LimiterVerdict): void {
    const waiter = place.item;
    if (waiter.isSettled) {
      // It gave up while it was asked for.
      if (verdict.admitted) void verdict.permit.refund();
    } else if (verdict.admitted) {
      line.queue.take(place);
      this.#settle(waiter, verdict);
    } else this.#onRefused(line, place, verdict);
  }

  #onRefused(line: Line<LimitWaiter>, place: Place<LimitWaiter>, refusal: Rejected): void {
    const waiter = place.item;
    const blocked = this.#noteRefusal(waiter, refusal);
    if (blocked === undefined) {
      this.#leave(waiter);
      this.#settle(waiter, refusal);
    } else if (waiter.leftMs(this.#host.clock.nowMs()) <= 0) {
      this.#giveUp(waiter, "queue_timeout");
    } else if (blocked.violated.some((each) => isOf(line, each))) {
      line.queue.yieldTurn(place);
      this.#service.serveAt(line, waiter.retryAtMs);
    } else {
      this.#leave(waiter);
      this.#append(waiter, this.#spotFor(waiter, blocked));
    }
  }

  /**
   * At its last instant a question may still be asked for, if that is when its limit lets go; those
   * before it are asked for first.
   */
  #onTime(waiter: LimitWaiter): void {
    const { line } = waiter;
    if (line === undefined || waiter.isAsked) return;
    if (line.dueMs <= this.#host.clock.nowMs()) this.#service.serve(line);
    if (!waiter.isSettled && !waiter.isAsked) this.#giveUp(waiter, "queue_timeout");
  }

  #giveUp(waiter: LimitWaiter, reason: Reason): void {
    if (waiter.isSettled) return;
    const { line, place } = waiter;
    const wasHead = line !== undefined && place !== undefined && line.queue.isHead(place);
    this.#leave(waiter);
    const waitMs = reason === "aborted" ? undefined : this.#waitLeftMs(waiter);
    this.#settle(waiter, this.#rejected(reason, waitMs, waiter.refusal));
    // Whoever is first now may fit where this one did not.
    if (wasHead && !this.#isClosed) this.#service.serve(line);
  }

  #leave({ line, place }: LimitWaiter): void {
    if (place !== undefined) line?.queue.leave(place);
  }

  #settle(waiter: LimitWaiter, verdict: LimiterVerdict): void {
    const { isWaiting, enteredMs } = waiter;
    waiter.settle(verdict);
    if (isWaiting) this.#report.ended(waiter, verdict, this.#host.clock.nowMs() - enteredMs);
    else if (!verdict.admitted) this.#report.refused(verdict.rejection.reason);
  }

  /** The rest of the wait that the store named last, or a hint. */
  #waitLeftMs({ isRetryExact, retryAtMs }: LimitWaiter): Milliseconds {
    const leftMs = isRetryExact ? retryAtMs - this.#host.clock.nowMs() : 0;
    return leftMs > 0 ? leftMs : this.#host.hintMs();
  }

  /** A refusal by the queue; what the store said last stands beside it. */
  #rejected(reason: Reason, retryAfterMs?: Milliseconds, last?: Rejected): Rejected {
    const violated = last?.rejection.violated ?? [];
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
    const rejection = { reason, ...wait, retryable: true, violated };
    return { admitted: false, rejection, statuses: last?.statuses ?? [] };
  }
}

function isOf(line: Line<LimitWaiter>, status: Blocked["by"]): boolean {
  return status.name === line.limit && keyOfStatus(status) === line.key;
}
