import type { Clock } from "../../clock/clock";
import type {
  AdmitCommand,
  DescriptorKey,
  LimitsTarget,
  RenewCommand,
  RenewTarget,
  SlotsTarget,
} from "../../engine/command";
import type { AdmitReply, CheckReply, RenewedLease, RenewReply } from "../../engine/reply";
import type { ConcurrencyLimit, Milliseconds } from "../../limit/limit";
import type { Adoptions } from "./adoptions";
import type { LocalDeputy } from "./local-deputy";
import type { StoreTime } from "./store-time";

/**
 * The leases of this process, kept beside the store at all times: when it is away they are counted
 * and prolonged here, so that no permit is lost by that. What was taken or prolonged here waits for
 * the store to adopt it.
 */
export class LocalSlots {
  readonly #deputy: LocalDeputy;
  readonly #adoptions: Adoptions;
  readonly #storeTime: StoreTime;
  readonly #clock: Clock;

  constructor(deputy: LocalDeputy, adoptions: Adoptions, storeTime: StoreTime, clock: Clock) {
    this.#deputy = deputy;
    this.#adoptions = adoptions;
    this.#storeTime = storeTime;
    this.#clock = clock;
  }

  /** The store has given out slots. */
  taken(command: AdmitCommand, reply: AdmitReply): void {
    const { operationId } = command;
    const nowMs = this.#clock.nowMs();
    eachSlot(command.targets, reply.checks, ({ kind, id }, limit, check) => {
      if (check.chargedAt === undefined) return;
      this.#storeTime.note(check.chargedAt - limit.leaseMs, nowMs);
      const lease = { limit, operationId, expiresAtMs: nowMs + limit.leaseMs };
      this.#deputy.renew(renewCommand([{ kind, id, leases: [lease] }]), nowMs);
    });
  }

  /**
   * Slots were given out here. Tells their expiries in the time of the store, as their holder is
   * going to need them.
   *
   * @param mayBeThere Whether the store may have given them out too, unheard.
   */
  takenHere(command: AdmitCommand, reply: AdmitReply, mayBeThere: boolean): AdmitReply {
    const { operationId, targets } = command;
    const checks = [...reply.checks];
    eachSlot(targets, reply.checks, ({ kind, id }, limit, check, index) => {
      if (check.chargedAt === undefined) return;
      this.#adoptions.add({ kind, id, limit, operationId, mayBeThere });
      checks[index] = { ...check, chargedAt: this.#storeTime.toStore(check.chargedAt) };
    });
    return { ...reply, checks };
  }

  /** The store has prolonged leases. */
  renewed(command: RenewCommand, reply: RenewReply): void {
    const nowMs = this.#clock.nowMs();
    let index = 0;
    for (const { kind, id, leases } of command.targets) {
      for (const { limit, operationId } of leases) {
        const { fate, expiresAtMs } = reply.leases[index] as RenewedLease;
        index += 1;
        this.#adoptions.remove({ kind, id, limit, operationId });
        if (fate === "lost") {
          this.#deputy.free(operationId, [{ kind, id, limits: [limit] }], nowMs);
          continue;
        }
        this.#storeTime.note(expiresAtMs - limit.leaseMs, nowMs);
        this.#prolong(renewCommand([{ kind, id, leases: [{ limit, operationId }] }]), nowMs);
      }
    }
  }

  /** Prolongs leases here. Those of permits that were closed meanwhile are not entered again. */
  renewHere(command: RenewCommand): RenewReply {
    const { leases } = this.#prolong(command, this.#clock.nowMs());
    let index = 0;
    for (const { kind, id, leases: asked } of command.targets) {
      for (const { limit, operationId } of asked) {
        const isKept = leases[index]?.fate === "renewed";
        index += 1;
        if (isKept) this.#adoptions.add({ kind, id, limit, operationId, mayBeThere: true });
      }
    }
    return {
      leases: leases.map(({ fate, expiresAtMs }) => {
        return { fate, expiresAtMs: this.#storeTime.toStore(expiresAtMs) };
      }),
    };
  }

  /** Frees slots here; whether the store may hold any of them. */
  free(operationId: string, targets: readonly SlotsTarget[]): boolean {
    let mayBeThere = false;
    for (const { kind, id, limits } of targets) {
      for (const limit of limits) {
        const waiting = this.#adoptions.remove({ kind, id, limit, operationId });
        if (waiting === undefined || waiting.mayBeThere) mayBeThere = true;
      }
    }
    this.#deputy.free(operationId, targets, this.#clock.nowMs());
    return mayBeThere;
  }

  /** A lease that is not live here is not made live: for its holder it is over. */
  #prolong(command: Renewal, nowMs: Milliseconds): RenewReply {
    const targets = command.targets.map(({ kind, id, leases }): RenewTarget => {
      return { kind, id, leases: leases.map((lease) => ({ ...lease, expiresAtMs: 0 })) };
    });
    return this.#deputy.renew(renewCommand(targets), nowMs);
  }
}

/** A renew command that need not say when its leases end. */
interface Renewal {
  readonly targets: readonly (DescriptorKey & {
    readonly leases: readonly { readonly limit: ConcurrencyLimit; readonly operationId: string }[];
  })[];
}

function renewCommand<T>(targets: readonly T[]) {
  return { type: "renew", serial: 0, targets } as const;
}

function eachSlot(
  targets: readonly LimitsTarget[],
  checks: readonly CheckReply[],
  visit: (key: DescriptorKey, limit: ConcurrencyLimit, check: CheckReply, index: number) => void,
): void {
  let index = 0;
  for (const target of targets) {
    for (const limit of target.limits) {
      if (limit.kind === "concurrency") visit(target, limit, checks[index] as CheckReply, index);
      index += 1;
    }
  }
}
