import { chainExpiresAtMs, find, withWrites } from "../../engine/chain";
import type { DescriptorKey } from "../../engine/command";
import { reset } from "../../engine/reset";
import { rulesOf } from "../../engine/rules/rules-of";
import { settle } from "../../engine/settle";
import type { DescriptorState } from "../../engine/state";
import type { Limit, Milliseconds } from "../../limit/limit";
import { localSerial } from "../serials";
import type { Told } from "./last-told";
import type { LocalLimits } from "./local-limits";
import { type Seed, seedOf } from "./seed";

/** A limit of counters that the account has a state of. */
interface Counted {
  readonly limit: Limit;
  readonly seededMs: Milliseconds;
}

/** How much of one limit the store has yet to hear of; negative if it was told too much. */
export interface Unreported {
  readonly limit: Limit;
  readonly units: number;
  /** After this time what was counted does not matter any more. */
  readonly lastsMs: Milliseconds;
}

/**
 * What this process counts by itself of one descriptor. It is kept twice: as it stands, and as far
 * as the store knows. What the store has yet to hear of is the difference, whatever kind the limit
 * is and whatever time has given back meanwhile.
 */
export class Account implements DescriptorKey {
  readonly kind: string;
  readonly id: string;
  #state: DescriptorState = null;
  #known: DescriptorState = null;
  /** What the store knew before the last report, in case that does not arrive. */
  #knownBefore: DescriptorState = null;
  readonly #counted = new Map<string, Counted>();
  /** Since when the store knows all of it; infinite while it does not. */
  #knownSinceMs = 0;
  #isUsed = false;
  #reportsUnderWay = 0;

  constructor({ kind, id }: DescriptorKey) {
    this.kind = kind;
    this.id = id;
  }

  get state(): DescriptorState {
    return this.#state;
  }

  /** Whether there are leases in it, live ones or not. */
  get holdsLeases(): boolean {
    let node = this.#state;
    while (node !== null && node.limit.kind !== "concurrency") node = node.next;
    return node !== null;
  }

  /** The limits of counters that it has states of. */
  get limits(): Limit[] {
    return [...this.#counted.values()].map(({ limit }) => limit);
  }

  /** Takes over what a transition made of the state. */
  write(state: DescriptorState): void {
    this.#state = state;
  }

  /** Says that counters were changed by this process alone. */
  markUsed(): void {
    this.#isUsed = true;
    this.#knownSinceMs = Number.POSITIVE_INFINITY;
  }

  /**
   * Makes sure that a limit of counters starts from what the store said last: when it is met for
   * the first time, and again when the store knows everything and has said more since.
   */
  prepare(limit: Limit, told: Told | undefined, limits: LocalLimits, nowMs: Milliseconds): void {
    const before = this.#counted.get(limit.name);
    const seededMs = before?.seededMs ?? -1;
    const isFresher =
      told !== undefined && told.atMs > seededMs && (before === undefined || this.#isKnownAt(told));
    if (before?.limit === limit && !isFresher) return;
    this.#counted.set(limit.name, { limit, seededMs: isFresher ? nowMs : seededMs });
    if (!isFresher) return;
    const local = limits.of(limit);
    const seed = seedOf(limit, limits, told, nowMs);
    this.#state = this.#seeded(this.#state, local, seed, nowMs);
    this.#known = this.#seeded(this.#known, local, seed, nowMs);
    this.#knownBefore = this.#seeded(this.#knownBefore, local, seed, nowMs);
  }

  /** What the store has yet to hear of; from now on it counts as known there. */
  takeUnreported(limits: LocalLimits, nowMs: Milliseconds): Unreported[] {
    const taken: Unreported[] = [];
    for (const { limit } of this.#counted.values()) {
      const local = limits.of(limit);
      const rules = rulesOf(local);
      const state = find(this.#state, local, nowMs, 0);
      const known = find(this.#known, local, nowMs, 0);
      const units = rules.used(local, state, nowMs) - rules.used(local, known, nowMs);
      if (units === 0) continue;
      const lastsMs = Math.max(
        rules.resetAfterMs(local, state, nowMs),
        rules.resetAfterMs(local, known, nowMs),
      );
      taken.push({ limit, units, lastsMs });
    }
    this.#knownBefore = this.#known;
    this.#known = this.#state;
    this.#isUsed = false;
    if (taken.length > 0) this.#reportsUnderWay += 1;
    else this.#noteKnown(nowMs);
    return taken;
  }

  /** A report of what was taken has ended. */
  endReport(nowMs: Milliseconds): void {
    this.#reportsUnderWay -= 1;
    this.#noteKnown(nowMs);
  }

  /** The report of what was taken last has surely not arrived: it has yet to be reported. */
  returnReport(): void {
    this.#reportsUnderWay -= 1;
    this.#known = this.#knownBefore;
    this.markUsed();
  }

  /** Forgets all counters, reported or not; leases stay. */
  resetCounters(nowMs: Milliseconds): void {
    const command = { type: "reset", targets: [this] } as const;
    this.#state = reset([this.#state], command, nowMs).states[0] as DescriptorState;
    this.#known = this.#state;
    this.#knownBefore = this.#state;
    this.#counted.clear();
    this.#isUsed = false;
  }

  /** Whether nothing in it matters any more. */
  isOver(nowMs: Milliseconds): boolean {
    return this.#reportsUnderWay === 0 && chainExpiresAtMs(this.#state) <= nowMs;
  }

  #noteKnown(nowMs: Milliseconds): void {
    if (this.#reportsUnderWay === 0 && !this.#isUsed) this.#knownSinceMs = nowMs;
  }

  /** In the same millisecond nobody can tell whether the store answered before it heard of it. */
  #isKnownAt({ atMs }: Told): boolean {
    return atMs > this.#knownSinceMs;
  }

  #seeded(
    chain: DescriptorState,
    limit: Limit,
    seed: Seed | undefined,
    nowMs: Milliseconds,
  ): DescriptorState {
    const without = withWrites(chain, [], nowMs, [limit]);
    if (seed === undefined) return without;
    const charge = { charged: 0, actual: seed.units, chargedAt: undefined, serial: 0 };
    const { kind, id } = this;
    const targets = [{ kind, id, corrections: [{ limit, ...charge }] }];
    const serial = localSerial(nowMs);
    const command = { type: "settle", operationId: "", serial, targets } as const;
    return settle([without], command, seed.atMs).states[0] as DescriptorState;
  }
}
