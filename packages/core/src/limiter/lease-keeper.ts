import type { CancelTimer, Clock } from "../clock/clock";
import type { Descriptor } from "../descriptor/descriptor";
import type { DescriptorKey, LeaseToRenew, RenewTarget } from "../engine/command";
import type { RenewedLease } from "../engine/reply";
import { type Recorder, record } from "../event/recorder";
import type { ConcurrencyLimit, Milliseconds } from "../limit/limit";
import type { Store } from "../store/store";

/** A lease is renewed at this share of its length: three tries before it runs out, two may fail. */
const RENEW_AT = 1 / 4;

/** In this last share of its length a lease whose renewal failed may end before the next one. */
const LAST_CHANCE = 1 / 2;

/** Leases that are due within this share of their length go along, so that renewals are batched. */
const BATCH_AHEAD = 1 / 16;

/** Leases in one renew command at most: bounds the work of one store call. */
const BATCH_MAX = 500;

/** A lease held by a live permit. */
export interface HeldLease extends DescriptorKey {
  readonly permitId: string;
  readonly limit: ConcurrencyLimit;
  readonly descriptor: Descriptor;
  /** When the slot was taken, by the clock of this process. */
  readonly takenMs: Milliseconds;
  /** Called at most once, when the slot may be another's. */
  readonly onLost: () => void;
  /** Expiry in store time, as last confirmed. */
  expiresAtMs: Milliseconds;
  /** By the clock of this process: the lease is surely over a lease length after this. */
  confirmedMs: Milliseconds;
  dueMs: Milliseconds;
}

/**
 * Renews the leases of all live permits of a limiter, in batches, with one timer. Leases of one
 * length come due in the order in which they were taken or renewed, so each length has a queue of
 * its own.
 */
export class LeaseKeeper {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #recorder: Recorder | undefined;
  readonly #nextSerial: () => number;
  readonly #queues = new Map<Milliseconds, Set<HeldLease>>();
  /** Leases that are held too long and run out now; each with what stops the wait for its end. */
  readonly #ending = new Map<HeldLease, CancelTimer>();
  #held = 0;
  #cancel: CancelTimer | undefined;
  #wakeMs = Number.POSITIVE_INFINITY;
  #isStopped = false;

  constructor(
    store: Store,
    clock: Clock,
    recorder: Recorder | undefined,
    nextSerial: () => number,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#recorder = recorder;
    this.#nextSerial = nextSerial;
  }

  /** Leases that are being kept. */
  get held(): number {
    return this.#held;
  }

  /** Begins to renew a lease. */
  keep(lease: HeldLease): void {
    if (this.#isStopped) return;
    this.#held += 1;
    this.#enqueue(lease);
    this.#schedule();
  }

  /**
   * Stops renewing a lease; unknown ones are ignored. A renewal under way for it reports nothing.
   */
  drop(lease: HeldLease): void {
    this.#ending.get(lease)?.();
    this.#ending.delete(lease);
    const queue = this.#queues.get(lease.limit.leaseMs);
    if (queue?.delete(lease) !== true) return;
    this.#held -= 1;
    if (queue.size === 0) this.#queues.delete(lease.limit.leaseMs);
    if (this.#held === 0) this.#stopTimer();
  }

  /** Renews nothing any more. */
  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#ending.values()) cancel();
    this.#ending.clear();
    this.#queues.clear();
    this.#held = 0;
    this.#stopTimer();
  }

  #isKept(lease: HeldLease): boolean {
    return this.#queues.get(lease.limit.leaseMs)?.has(lease) === true;
  }

  #enqueue(lease: HeldLease): void {
    const { leaseMs } = lease.limit;
    lease.dueMs = this.#clock.nowMs() + Math.ceil(leaseMs * RENEW_AT);
    const queue = this.#queues.get(leaseMs) ?? new Set();
    this.#queues.set(leaseMs, queue);
    queue.delete(lease);
    queue.add(lease);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const queue of this.#queues.values()) {
      for (const lease of queue) {
        nextMs = Math.min(nextMs, lease.dueMs);
        break;
      }
    }
    if (nextMs >= this.#wakeMs) return;
    this.#stopTimer();
    this.#wakeMs = nextMs;
    this.#cancel = this.#clock.after(Math.max(0, nextMs - this.#clock.nowMs()), () => {
      this.#wakeMs = Number.POSITIVE_INFINITY;
      this.#renewDue();
    });
  }

  #stopTimer(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#wakeMs = Number.POSITIVE_INFINITY;
  }

  #renewDue(): void {
    const nowMs = this.#clock.nowMs();
    const due: HeldLease[] = [];
    for (const [leaseMs, queue] of this.#queues) {
      for (const lease of queue) {
        if (lease.dueMs > nowMs + leaseMs * BATCH_AHEAD) break;
        due.push(lease);
      }
    }
    const renewable = due.filter((lease) => this.#mayRenew(lease, nowMs));
    for (const lease of renewable) this.#enqueue(lease);
    for (let first = 0; first < renewable.length; first += BATCH_MAX) {
      void this.#renew(renewable.slice(first, first + BATCH_MAX), nowMs);
    }
    this.#schedule();
  }

  /** False for a lease that is held too long: it is reported and left to run out. */
  #mayRenew(lease: HeldLease, nowMs: Milliseconds): boolean {
    const heldMs = nowMs - lease.takenMs;
    if (heldMs < lease.limit.maxHoldMs) return true;
    const { permitId, descriptor, limit } = lease;
    this.drop(lease);
    record(this.#recorder, {
      type: "permit_overdue",
      permitId,
      descriptor,
      limit: limit.name,
      heldMs,
    });
    const overInMs = Math.max(0, lease.confirmedMs + limit.leaseMs - nowMs);
    const cancel = this.#clock.after(overInMs, () => this.#dropAndLose(lease));
    this.#ending.set(lease, cancel);
    return false;
  }

  async #renew(leases: readonly HeldLease[], sentMs: Milliseconds): Promise<void> {
    const { targets, inOrder } = renewTargets(leases);
    try {
      const reply = await this.#store.renew({ type: "renew", serial: this.#nextSerial(), targets });
      for (const [index, renewed] of reply.leases.entries()) {
        this.#apply(inOrder[index] as HeldLease, renewed, sentMs);
      }
    } catch (error) {
      record(this.#recorder, { type: "store_failed", operation: "renew", error });
      for (const lease of leases) this.#loseIfOver(lease);
    }
  }

  /**
   * A lease is over when it could not be renewed for its whole length. That is noticed at that
   * instant, not with the next renewal that fails: the store gives the slot away right after it.
   */
  #loseIfOver(lease: HeldLease): void {
    if (!this.#isKept(lease)) return;
    const { leaseMs } = lease.limit;
    const overInMs = lease.confirmedMs + leaseMs - this.#clock.nowMs();
    if (overInMs <= 0) {
      this.#dropAndLose(lease);
    } else if (overInMs <= leaseMs * LAST_CHANCE) {
      this.#clock.after(overInMs, () => this.#loseIfOver(lease));
    }
  }

  #apply(lease: HeldLease, renewed: RenewedLease, sentMs: Milliseconds): void {
    // A permit that was closed meanwhile has freed its slot itself: a renewal that finds it gone is
    // no loss.
    if (!this.#isKept(lease)) {
      if (renewed.fate === "adopted") this.#freeAgain(lease);
      return;
    }
    if (renewed.fate === "lost") {
      this.#dropAndLose(lease);
      return;
    }
    lease.expiresAtMs = renewed.expiresAtMs;
    lease.confirmedMs = sentMs;
    if (renewed.fate === "adopted") this.#reportLease("lease_adopted", lease);
  }

  /** A renewal that arrived behind the release of its permit has entered the lease again. */
  #freeAgain({ permitId, kind, id, limit }: HeldLease): void {
    if (this.#isStopped) return;
    const targets = [{ kind, id, limits: [limit] }];
    // If this fails, the slot is free when the lease is over.
    this.#store.release({ type: "release", operationId: permitId, targets }).catch(() => undefined);
  }

  #dropAndLose(lease: HeldLease): void {
    this.drop(lease);
    this.#lose(lease);
  }

  #lose(lease: HeldLease): void {
    this.#reportLease("lease_lost", lease);
    lease.onLost();
  }

  #reportLease(type: "lease_lost" | "lease_adopted", lease: HeldLease): void {
    const { permitId, descriptor, limit } = lease;
    record(this.#recorder, { type, permitId, descriptor, limit: limit.name });
  }
}

/** The targets of a renew command, one per descriptor, and the leases in the order of the reply. */
function renewTargets(leases: readonly HeldLease[]): {
  readonly targets: readonly RenewTarget[];
  readonly inOrder: readonly HeldLease[];
} {
  const byDescriptor = new Map<string, HeldLease[]>();
  for (const lease of leases) {
    const key = `${lease.kind}:${lease.id}`;
    const others = byDescriptor.get(key);
    if (others === undefined) byDescriptor.set(key, [lease]);
    else others.push(lease);
  }
  const groups = [...byDescriptor.values()];
  const targets = groups.map((group): RenewTarget => {
    const { kind, id } = group[0] as HeldLease;
    return { kind, id, leases: group.map(leaseToRenew) };
  });
  return { targets, inOrder: groups.flat() };
}

function leaseToRenew({ limit, permitId, expiresAtMs }: HeldLease): LeaseToRenew {
  return { limit, operationId: permitId, expiresAtMs };
}
