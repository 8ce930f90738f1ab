import type { DescriptorKey } from "../../engine/command";
import type { ConcurrencyLimit } from "../../limit/limit";
import { keyText } from "./last-told";

/** A lease that this process keeps by itself until the store has adopted it. */
export interface LeaseHere extends DescriptorKey {
  readonly operationId: string;
  readonly limit: ConcurrencyLimit;
  /** Whether the store may hold it too, so that it has to be freed there as well. */
  mayBeThere: boolean;
}

/** The leases that the store has yet to adopt. As many as this process has open permits at most. */
export class Adoptions {
  readonly #leases = new Map<string, LeaseHere>();

  get size(): number {
    return this.#leases.size;
  }

  add(lease: LeaseHere): void {
    const key = leaseText(lease);
    const before = this.#leases.get(key);
    if (before === undefined) this.#leases.set(key, lease);
    else before.mayBeThere ||= lease.mayBeThere;
  }

  /** Whether this very lease still waits. */
  has(lease: LeaseHere): boolean {
    return this.#leases.get(leaseText(lease)) === lease;
  }

  /** Ends the wait for a lease, and gives it back. */
  remove(lease: LeaseName): LeaseHere | undefined {
    const key = leaseText(lease);
    const found = this.#leases.get(key);
    this.#leases.delete(key);
    return found;
  }

  /** Up to `count` leases, grouped by descriptor, in the order in which they began to wait. */
  next(count: number): LeaseHere[][] {
    const groups = new Map<string, LeaseHere[]>();
    let taken = 0;
    for (const lease of this.#leases.values()) {
      if (taken === count) break;
      taken += 1;
      const key = keyText(lease);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [lease]);
      else group.push(lease);
    }
    return [...groups.values()];
  }
}

type LeaseName = Pick<LeaseHere, "kind" | "id" | "operationId" | "limit">;

/** Operation ids and names of limits have no space. */
function leaseText(lease: LeaseName): string {
  return `${lease.operationId} ${lease.limit.name} ${keyText(lease)}`;
}
