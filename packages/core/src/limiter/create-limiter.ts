import type { Descriptor } from "../descriptor/descriptor";
import type { AdmitCommand } from "../engine/command";
import type { AdmitReply } from "../engine/reply";
import { RejectedError } from "../error/rejected-error";
import { StoreError } from "../error/store-error";
import { record } from "../event/recorder";
import type { Milliseconds } from "../limit/limit";
import type { Rejected, Verdict, VerdictSource } from "../verdict/verdict";
import { type HeldLease, LeaseKeeper } from "./lease-keeper";
import type { Limiter, Peek } from "./limiter";
import { type LimiterConfig, type LimiterOptions, parseLimiterOptions } from "./limiter-options";
import type { LimiterPermit } from "./permit";
import { PermitCloser } from "./permit-closer";
import type { Question } from "./question";
import { readQuestion } from "./read-question";
import { Reservation } from "./reservation";
import { rejectionOf, statusesOf } from "./statuses";
import { type PermitContext, StorePermit } from "./store-permit";

/** Serials stay small integers, which engines and stores keep cheaply. */
const SERIALS = 2 ** 30;

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
  readonly #permits: PermitContext;
  #serial: number;

  constructor(config: LimiterConfig) {
    this.#config = config;
    this.#serial = Math.floor(config.random.next() * SERIALS);
    const { store, clock, recorder, units } = config;
    const nextSerial = () => this.#nextSerial();
    this.#permits = {
      units,
      recorder,
      closer: new PermitCloser(store, clock, recorder, nextSerial),
      keeper: new LeaseKeeper(store, clock, recorder, nextSerial),
    };
  }

  get heldLeases(): number {
    return this.#permits.keeper.held;
  }

  async admit(question: Question): Promise<Verdict<LimiterPermit>> {
    const { targets, cost } = readQuestion(question, this.#config.units);
    if (question.signal?.aborted) return this.#aborted();
    const operationId = this.#config.random.id();
    const serial = this.#nextSerial();
    const command: AdmitCommand = { type: "admit", operationId, serial, cost, targets };
    const sentMs = this.#config.clock.nowMs();
    let reply: AdmitReply;
    try {
      reply = await this.#config.store.admit(command);
    } catch (error) {
      return this.#storeUnavailable(operationId, error);
    }
    const statuses = statusesOf(question.descriptors, reply.checks);
    this.#reportReplaced(reply);
    if (!reply.admitted) {
      const rejection = rejectionOf(statuses, cost, () => this.#concurrencyHintMs());
      return this.#answer({ admitted: false, rejection, statuses }, "store");
    }
    const reservation = new Reservation(command, reply.checks);
    const permit = new StorePermit(operationId, this.#permits, reservation);
    if (question.signal?.aborted) {
      await permit.refund();
      return this.#aborted();
    }
    this.#hold(permit, reservation, question.descriptors, sentMs);
    return this.#answer({ admitted: true, permit, statuses }, "store");
  }

  async peek(question: Question): Promise<Peek> {
    const { targets, cost } = readQuestion(question, this.#config.units);
    try {
      const reply = await this.#config.store.peek({ type: "peek", cost, targets });
      const statuses = statusesOf(question.descriptors, reply.checks);
      if (reply.admitted) return { admitted: true, statuses };
      const rejection = rejectionOf(statuses, cost, () => this.#concurrencyHintMs());
      return { admitted: false, rejection, statuses };
    } catch (error) {
      record(this.#config.recorder, { type: "store_failed", operation: "peek", error });
      return this.#unavailableRejection();
    }
  }

  async reset(question: Pick<Question, "descriptors">): Promise<void> {
    const { descriptors } = question;
    const { targets } = readQuestion({ descriptors }, this.#config.units);
    await this.#config.store.reset({ type: "reset", targets });
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
    this.#permits.keeper.stop();
    if (this.#config.ownsStore) await this.#config.store.close();
  }

  #nextSerial(): number {
    this.#serial = (this.#serial + 1) % SERIALS;
    return this.#serial;
  }

  #concurrencyHintMs(): Milliseconds {
    const { concurrencyRetryAfterMs, random } = this.#config;
    return Math.max(1, Math.ceil(concurrencyRetryAfterMs * (0.75 + 0.25 * random.next())));
  }

  #hold(
    permit: StorePermit,
    reservation: Reservation,
    descriptors: readonly Descriptor[],
    takenMs: Milliseconds,
  ): void {
    if (!reservation.hasSlots) return;
    const leases: HeldLease[] = [];
    for (const { key, limit, descriptorIndex, expiresAtMs } of reservation.slots()) {
      leases.push({
        permitId: permit.id,
        key,
        limit,
        descriptor: descriptors[descriptorIndex] as Descriptor,
        takenMs,
        onLost: () => permit.lose(),
        expiresAtMs,
        confirmedMs: takenMs,
        dueMs: takenMs,
      });
    }
    permit.hold(leases);
  }

  #storeUnavailable(operationId: string, error: unknown): Verdict<LimiterPermit> {
    record(this.#config.recorder, { type: "store_failed", operation: "admit", error });
    const isFull = error instanceof StoreError && error.code === "SLUICE_STORE_FULL";
    if (this.#config.onStoreUnavailable === "reject" || isFull) {
      return this.#answer(this.#unavailableRejection(), "policy");
    }
    const permit = new StorePermit(operationId, this.#permits, undefined);
    return this.#answer({ admitted: true, permit, statuses: [] }, "policy");
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

  #aborted(): Verdict<LimiterPermit> {
    const rejection = { reason: "aborted", retryable: true, violated: [] } as const;
    return this.#answer({ admitted: false, rejection, statuses: [] }, "policy");
  }

  #answer(verdict: Verdict<LimiterPermit>, source: VerdictSource): Verdict<LimiterPermit> {
    const { recorder } = this.#config;
    if (recorder !== undefined) {
      const { admitted, statuses } = verdict;
      const event = { type: "verdict", admitted, statuses, source } as const;
      record(recorder, admitted ? event : { ...event, reason: verdict.rejection.reason });
    }
    return verdict;
  }

  #reportReplaced(reply: AdmitReply): void {
    for (const { key, limit } of reply.replaced ?? []) {
      record(this.#config.recorder, { type: "state_replaced", key, limit });
    }
  }
}
