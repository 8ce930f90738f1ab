import type { Descriptor } from "../descriptor/descriptor";
import type { AdmitCommand, DescriptorKey } from "../engine/command";
import type { AdmitReply, ReplacedState } from "../engine/reply";
import { RejectedError } from "../error/rejected-error";
import { record } from "../event/recorder";
import type { Milliseconds } from "../limit/limit";
import type { Store } from "../store/store";
import type { Rejected, Verdict } from "../verdict/verdict";
import { type HeldLease, LeaseKeeper } from "./lease-keeper";
import type { Limiter, Peek } from "./limiter";
import { type LimiterConfig, type LimiterOptions, parseLimiterOptions } from "./limiter-options";
import { guardedStore } from "./outage/guarded-store";
import { isOutage } from "./outage/outage";
import type { LimiterPermit } from "./permit";
import { PermitCloser } from "./permit-closer";
import type { Question } from "./question";
import { QuestionReader, type ReadQuestion } from "./read-question";
import { statusesIn } from "./reply-statuses";
import { type Reservation, slotsOf } from "./reservation";
import { SERIALS } from "./serials";
import { rejectionOf } from "./statuses";
import { type PermitContext, StorePermit } from "./store-permit";
import type { LimiterStats } from "./waiting/waiting-report";
import { WaitingRoom } from "./waiting/waiting-room";

/**
 * Makes a limiter.
 *
 * @throws InvalidOptionsError listing every bad option.
 */
export function createLimiter(options: LimiterOptions = {}): Limiter {
  return new StoreLimiter(parseLimiterOptions(options));
}

class StoreLimiter implements Limiter {
  readonly #config: LimiterConfig;
  /** The store, together with what answers while it is away. */
  readonly #store: Store;
  readonly #permits: PermitContext;
  readonly #questions: QuestionReader;
  readonly #waiting: WaitingRoom;
  /** The wait told where nobody knows it: 75 to 100 % of the configured one. */
  readonly #hintMs: () => Milliseconds;
  #serial: number;
  #isClosed = false;

  constructor(config: LimiterConfig) {
    this.#config = config;
    this.#questions = new QuestionReader(config.units);
    this.#serial = Math.floor(config.random.next() * SERIALS);
    const { clock, random, recorder, units, concurrencyRetryAfterMs } = config;
    this.#hintMs = () => Math.ceil(concurrencyRetryAfterMs * (0.75 + 0.25 * random.next()));
    const nextSerial = () => this.#nextSerial();
    const store = guardedStore(config, nextSerial);
    this.#store = store;
    this.#waiting = new WaitingRoom({
      clock,
      recorder,
      bounds: config.queue,
      ask: (question, read) => this.#ask(question, read),
      peek: (question, read) => this.#peek(question, read),
      hintMs: this.#hintMs,
    });
    const onFreed = (targets: readonly DescriptorKey[]) => this.#waiting.wake(targets);
    this.#permits = {
      units,
      recorder,
      random,
      closer: new PermitCloser(store, clock, recorder, nextSerial, onFreed),
      keeper: new LeaseKeeper(store, clock, recorder, nextSerial),
    };
  }

  get heldLeases(): number {
    return this.#permits.keeper.held;
  }

  admit(question: Question): Promise<Verdict<LimiterPermit>> {
    if (this.#isClosed) return Promise.resolve(this.#answer(this.#unavailableRejection()));
    let read: ReadQuestion;
    try {
      read = this.#questions.read(question);
    } catch (error) {
      return Promise.reject(error);
    }
    if (question.signal?.aborted) return Promise.resolve(this.#answer(abortedRejection()));
    const asked =
      read.maxWaitMs === 0 && this.#waiting.isEmpty
        ? this.#ask(question, read)
        : this.#waiting.admit(question, read);
    if (asked instanceof Promise) return asked.then((verdict) => this.#answer(verdict));
    return Promise.resolve(this.#answer(asked));
  }

  stats(): LimiterStats {
    return this.#waiting.stats();
  }

  /** Asks the store once. One in this process answers at once, which saves two promises. */
  #ask(
    question: Question,
    read: ReadQuestion,
  ): Verdict<LimiterPermit> | Promise<Verdict<LimiterPermit>> {
    const command = this.#commandFor(read);
    if (this.#store.admitNow === undefined) return this.#askLater(question, command);
    let reply: AdmitReply;
    try {
      reply = this.#store.admitNow(command);
    } catch (error) {
      return this.#storeUnavailable(error);
    }
    return this.#verdictOf(question, command, reply, undefined);
  }

  #askLater(question: Question, command: AdmitCommand): Promise<Verdict<LimiterPermit>> {
    const sentMs = this.#config.clock.nowMs();
    return this.#store.admit(command).then(
      (reply) =>
        question.signal?.aborted
          ? this.#abortedAfter(command, reply)
          : this.#verdictOf(question, command, reply, sentMs),
      (error: unknown) => this.#storeUnavailable(error),
    );
  }

  /** The caller gave up while the store was asked: he gets back what was charged. */
  async #abortedAfter(command: AdmitCommand, reply: AdmitReply): Promise<Verdict<LimiterPermit>> {
    if (reply.admitted) {
      await this.#permits.closer.settle({ command, checks: reply.checks }, "nothing");
    }
    return abortedRejection();
  }

  async peek(question: Question): Promise<Peek> {
    const read = this.#questions.read(question);
    if (this.#isClosed) return this.#unavailableRejection();
    if (question.signal?.aborted) return abortedRejection();
    return this.#peek(question, read);
  }

  async #peek(question: Question, { targets, cost }: ReadQuestion): Promise<Peek> {
    try {
      const command = { type: "peek", cost, targets } as const;
      const reply = await this.#store.peek(command);
      const statuses = statusesIn(question.descriptors, command, reply);
      if (reply.admitted) return { admitted: true, statuses };
      const rejection = rejectionOf(statuses, cost, this.#hintMs);
      return { admitted: false, rejection, statuses };
    } catch (error) {
      record(this.#config.recorder, { type: "store_failed", operation: "peek", error });
      return this.#admitsUncounted(error)
        ? { admitted: true, statuses: [] }
        : this.#unavailableRejection();
    }
  }

  async reset(question: Pick<Question, "descriptors">): Promise<void> {
    // Other fields of a question do not matter here, and one that is missing is a problem like
    // others.
    const descriptors = (question as typeof question | null | undefined)?.descriptors;
    const { targets } = this.#questions.read({ descriptors: descriptors as readonly Descriptor[] });
    await this.#store.reset({ type: "reset", targets });
    this.#waiting.wake(targets);
  }

  async run<T>(question: Question, fn: (permit: LimiterPermit) => T | Promise<T>): Promise<T> {
    const verdict = await this.admit(question);
    if (!verdict.admitted) throw new RejectedError(verdict);
    const { permit } = verdict;
    try {
      const result = await fn(permit);
      await permit.finish();
      return result;
    } catch (error) {
      await (permit.hasNotes ? permit.finish() : permit.refund());
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.close();
    this.#permits.keeper.stop();
    const { ownsStore, store } = this.#config;
    if (ownsStore || this.#store !== store) await this.#store.close();
  }

  #nextSerial(): number {
    this.#serial = (this.#serial + 1) % SERIALS;
    return this.#serial;
  }

  #commandFor({ targets, cost, asksForSlots }: ReadQuestion): AdmitCommand {
    const operationId = asksForSlots ? this.#config.random.id() : "";
    return { type: "admit", operationId, serial: this.#nextSerial(), cost, targets };
  }

  /**
   * `sentMs` is when the command was sent, by the clock of this process; now if it is not given.
   */
  #verdictOf(
    question: Question,
    command: AdmitCommand,
    reply: AdmitReply,
    sentMs: Milliseconds | undefined,
  ): Verdict<LimiterPermit> {
    const { descriptors } = question;
    const statuses = statusesIn(descriptors, command, reply);
    if (reply.replaced !== undefined) this.#reportReplaced(reply.replaced);
    if (!reply.admitted) {
      const rejection = rejectionOf(statuses, command.cost, this.#hintMs);
      return { admitted: false, rejection, statuses };
    }
    const reservation: Reservation = { command, checks: reply.checks };
    const permit = new StorePermit(this.#permits, reservation);
    if (command.operationId !== "") {
      this.#hold(permit, reservation, descriptors, sentMs ?? this.#config.clock.nowMs());
    }
    return { admitted: true, permit, statuses };
  }

  #hold(
    permit: StorePermit,
    reservation: Reservation,
    descriptors: readonly Descriptor[],
    takenMs: Milliseconds,
  ): void {
    const leases = slotsOf(reservation).map(
      ({ kind, id, limit, place, expiresAtMs }): HeldLease => ({
        permitId: permit.id,
        kind,
        id,
        limit,
        descriptor: descriptors[place] as Descriptor,
        takenMs,
        // A shadow limit never stops anybody: its loss is reported, and the permit goes on.
        onLost: limit.mode === "enforce" ? () => permit.lose() : ignoreLoss,
        expiresAtMs,
        confirmedMs: takenMs,
        dueMs: takenMs,
      }),
    );
    permit.hold(leases);
  }

  #storeUnavailable(error: unknown): Verdict<LimiterPermit> {
    record(this.#config.recorder, { type: "store_failed", operation: "admit", error });
    if (!this.#admitsUncounted(error)) return this.#unavailableRejection();
    const permit = new StorePermit(this.#permits, undefined);
    return { admitted: true, permit, statuses: [] };
  }

  /** A store that is full or was closed is not away: that is refused in any case. */
  #admitsUncounted(error: unknown): boolean {
    return this.#config.onStoreUnavailable === "admit" && isOutage(error);
  }

  /** Nothing is known about the limits, so no status is made up. */
  #unavailableRejection(): Rejected {
    const retryAfterMs = this.#config.storeUnavailableRetryAfterMs;
    const reason = "store_unavailable";
    return {
      admitted: false,
      rejection: { reason, retryAfterMs, retryable: true, violated: [] },
      statuses: [],
    };
  }

  /** Tells the recorder of a verdict that is given to a caller. */
  #answer(verdict: Verdict<LimiterPermit>): Verdict<LimiterPermit> {
    const { recorder } = this.#config;
    if (recorder !== undefined) {
      const { admitted, statuses } = verdict;
      // Whatever was asked of a store, or of what stands in for it, has statuses.
      const source = statuses[0]?.source ?? "policy";
      const event = { type: "verdict", admitted, statuses, source } as const;
      record(recorder, admitted ? event : { ...event, reason: verdict.rejection.reason });
    }
    return verdict;
  }

  #reportReplaced(replaced: readonly ReplacedState[]): void {
    for (const { kind, id, limit } of replaced) {
      record(this.#config.recorder, { type: "state_replaced", key: `${kind}:${id}`, limit });
    }
  }
}

function abortedRejection(): Rejected {
  const rejection = { reason: "aborted", retryable: true, violated: [] } as const;
  return { admitted: false, rejection, statuses: [] };
}

function ignoreLoss(): void {}
