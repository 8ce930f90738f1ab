import type { Clock } from "../../clock/clock";
import type { LeaseToRenew, ReleaseCommand, RenewTarget } from "../../engine/command";
import type { Milliseconds } from "../../limit/limit";
import type { Store } from "../../store/store";
import type { Adoptions, LeaseHere } from "./adoptions";
import type { Errand } from "./errands";
import type { StoreTime } from "./store-time";

/** Leases in one command: bounds the work of one store call, as for renewals. */
const LEASES_MAX = 500;

/** What the errands about leases need. */
export interface LeaseErrandsContext {
  readonly store: Store;
  readonly adoptions: Adoptions;
  readonly storeTime: StoreTime;
  readonly clock: Clock;
  readonly nextSerial: () => number;
  /** When a lease ends by this process's clock; `undefined` if it is over. */
  readonly expiryMs: (lease: LeaseHere) => Milliseconds | undefined;
  readonly later: (errand: Errand) => void;
}

/** Makes the store know which slots this process took and freed while it was away. */
export class LeaseErrands {
  readonly #context: LeaseErrandsContext;

  constructor(context: LeaseErrandsContext) {
    this.#context = context;
  }

  /** Enters some of the leases that wait for it; `undefined` if none does. */
  adopt(): Errand | undefined {
    const { adoptions, storeTime } = this.#context;
    const leases: LeaseHere[] = [];
    const targets: RenewTarget[] = [];
    for (const group of adoptions.next(LEASES_MAX)) {
      const own: LeaseToRenew[] = [];
      for (const lease of group) {
        const expiresMs = this.#context.expiryMs(lease);
        if (expiresMs === undefined) {
          adoptions.remove(lease);
          continue;
        }
        leases.push(lease);
        const { limit, operationId } = lease;
        own.push({ limit, operationId, expiresAtMs: storeTime.toStore(expiresMs) });
      }
      const { kind, id } = group[0] as LeaseHere;
      if (own.length > 0) targets.push({ kind, id, leases: own });
    }
    if (targets.length === 0) return undefined;
    // Never repeated as it is: by the next round some of the leases may have been freed.
    let hasRun = false;
    const run = () => {
      hasRun = true;
      return this.#adopt(leases, targets);
    };
    return { operation: "renew", isOver: () => hasRun, run, giveUp: () => {} };
  }

  /** Frees slots that the store may hold for a permit that is closed. */
  free(command: ReleaseCommand): Errand {
    const { store, clock } = this.#context;
    const leases = command.targets.flatMap(({ limits }) => limits.map(({ leaseMs }) => leaseMs));
    const run = async () => void (await store.release(command));
    const untilMs = clock.nowMs() + Math.max(...leases);
    const isOver = (nowMs: Milliseconds) => nowMs >= untilMs;
    return { operation: "release", isOver, run, giveUp: () => {} };
  }

  async #adopt(leases: readonly LeaseHere[], targets: readonly RenewTarget[]): Promise<void> {
    const { store, adoptions, nextSerial } = this.#context;
    // From here on whoever frees one of them has to free it in the store too.
    for (const lease of leases) lease.mayBeThere = true;
    await store.renew({ type: "renew", serial: nextSerial(), targets });
    for (const lease of leases) {
      if (adoptions.has(lease)) adoptions.remove(lease);
      else this.#freeAgain(lease);
    }
  }

  /** It was freed while the store was about to adopt it, and nobody knows which came first. */
  #freeAgain({ kind, id, limit, operationId }: LeaseHere): void {
    const targets = [{ kind, id, limits: [limit] }];
    this.#context.later(this.free({ type: "release", operationId, targets }));
  }
}
