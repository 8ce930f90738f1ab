import { chainExpiresAtMs, find, withWrites } from "../../engine/chain";
import type { DescriptorKey } from "../../engine/command";
import { chargeName } from "../../engine/operation-records";
import { reset } from "../../engine/reset";
import { poolClassUsed } from "../../engine/rules/pool-unit";
import { rulesOf } from "../../engine/rules/rules-of";
import { settle } from "../../engine/settle";
import type { DescriptorState, PoolState } from "../../engine/state";
import type { CheckLimit, Milliseconds, PoolUnitLimit } from "../../limit/limit";
import { asClass } from "../../limit/pool-units";
import { localSerial } from "../serials";
import type { Told } from "./last-told";
import type { LocalLimits } from "./local-limits";
import { type Seed, seedOf } from "./seed";

/** A limit of counters that the account has a state of. */
interface Counted {
  readonly limit: CheckLimit;
  readonly seededMs: Milliseconds;
}

/** How much of one limit the store has yet to hear of; negative if it was told too much. */
export interface Unreported {
  readonly limit: CheckLimit;
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
  get limits(): CheckLimit[] {
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
  prepare(
    limit: CheckLimit,
    told: Told | undefined,
    limits: LocalLimits,
    nowMs: Milliseconds,
  ): void {
    const before = this.#counted.get(chargeName(limit));
    const seededMs = before?.seededMs ?? -1;
    const isFresher =
      told !== undefined && told.atMs > seededMs && (before === undefined || this.#isKnownAt(told));
    if (before?.limit === limit && !isFresher) return;
    this.#counted.set(chargeName(limit), { limit, seededMs: isFresher ? nowMs : seededMs });
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
      const lastsMs = Math.max(
        rules.resetAfterMs(local, state, nowMs),
        rules.resetAfterMs(local, known, nowMs),
      );
      if (limit.kind === "pool-unit") {
        taken.push(
          ...byClass(limit, state as PoolState | null, known as PoolState | null, lastsMs),
        );
        continue;
      }
      const units = rules.used(local, state, nowMs) - rules.used(local, known, nowMs);
      if (units !== 0) taken.push({ limit, units, lastsMs });
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
    limit: CheckLimit,
    seed: Seed | undefined,
    nowMs: Milliseconds,
  ): DescriptorState {
    const without =
      limit.kind === "pool-unit"
        ? withoutUnit(chain, limit, nowMs)
        : withWrites(chain, [], nowMs, [limit]);
    if (seed === undefined) return without;
    const charge = { charged: 0, actual: seed.units, chargedAt: undefined, serial: 0 };
    const { kind, id } = this;
    // Which classes of a pool the store had charged, nobody here knows.
    const charged = limit.kind === "pool-unit" ? asClass(limit, NO_CLASS) : limit;
    const targets = [{ kind, id, corrections: [{ limit: charged, ...charge }] }];
    const serial = localSerial(nowMs);
    const command = { type: "settle", operationId: "", serial, targets } as const;
    return settle([without], command, seed.atMs).states[0] as DescriptorState;
  }
}

/** In the place of a class of a pool: use that belongs to none. */
const NO_CLASS = -1;

/** What the store has yet to hear of each class of a unit of a pool. */
function byClass(
  limit: PoolUnitLimit,
  state: PoolState | null,
  known: PoolState | null,
  lastsMs: Milliseconds,
): Unreported[] {
  const unreported: Unreported[] = [];
  for (let place = 0; place < limit.classes.length; place += 1) {
    const own = asClass(limit, place);
    const units = poolClassUsed(own, state) - poolClassUsed(own, known);
    if (units !== 0) unreported.push({ limit: own, units, lastsMs });
  }
  return unreported;
}

/**
 * The chain after the use of one unit of a pool was taken away. What was charged to the pool before
 * is found by no refund any more.
 */
function withoutUnit(
  chain: DescriptorState,
  limit: PoolUnitLimit,
  nowMs: Milliseconds,
): DescriptorState {
  const state = find(chain, limit, nowMs, 0);
  if (state === null) return withWrites(chain, [], nowMs, [limit]);
  const { place } = limit;
  const used = state.used.with(place, 0);
  const classes = state.classes.map((each) => ({
    ...each,
    used: each.used.with(place, 0),
    spent: each.spent.with(place, 0),
  }));
  const serial = localSerial(nowMs);
  return withWrites(chain, [{ ...state, next: null, serial, used, classes }], nowMs);
}
