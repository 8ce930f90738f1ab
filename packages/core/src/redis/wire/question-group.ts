import type { DescriptorKey, FullCost, LimitsTarget } from "../../engine/command";
import { costFor } from "../../engine/cost";
import type { CheckLimit, ConcurrencyLimit, Milliseconds } from "../../limit/limit";

/** Where in a call the keys and limits are that a question names; places count from 1. */
export interface CallPlaces {
  limitPlace(limit: CheckLimit): number;
  chainPlace(descriptor: DescriptorKey): number;
  leasesPlace(descriptor: DescriptorKey, limit: CheckLimit): number;
  recordPlaces(descriptors: readonly DescriptorKey[], operationId: string): readonly number[];
}

/** A question as it is written. */
export interface AskedQuestion {
  readonly targets: readonly LimitsTarget[];
  readonly cost: FullCost;
  /** Absent if nothing is to be charged. */
  readonly charge?: AskedCharge;
}

/** What a question needs that charges. */
interface AskedCharge {
  /** In server time; 0 for none. */
  readonly deadlineMs: Milliseconds;
  readonly serial: number;
  /** Empty if no slot is asked for and nothing is to be undone. */
  readonly operationId: string;
  /** 0 if it cannot be undone. */
  readonly undoableForMs: Milliseconds;
}

const NO_CHARGE: AskedCharge = { deadlineMs: 0, serial: 0, operationId: "", undoableForMs: 0 };

/** Which keys a question needs of one of its descriptors. */
interface KeysOfTarget {
  readonly hasChain: boolean;
  readonly slots: readonly ConcurrencyLimit[];
}

/**
 * Questions that differ in nothing but whom they are about, with serials one after the other:
 * written once for all (see lua/wire/group.lua).
 */
export class QuestionGroup {
  readonly #first: AskedQuestion;
  readonly #keys: readonly KeysOfTarget[];
  /** What questions have in common, as items of a JSON array. */
  readonly #common: string;
  /** The places of the chains and leases of each question, one question after the other. */
  readonly #places: number[] = [];
  /** How many of them each question has. */
  readonly #width: number;
  #count = 1;
  /** Whether all are about the same keys, or about those that follow in the call. */
  #areSame = true;
  #areNext = true;

  constructor(first: AskedQuestion, call: CallPlaces) {
    const { targets, charge = NO_CHARGE } = first;
    this.#first = first;
    this.#keys = targets.map(({ limits }) => keysOf(limits, charge.undoableForMs > 0));
    this.#common = commonText(first, this.#keys, call);
    this.#addPlaces(first, call);
    this.#width = this.#places.length;
  }

  /** Takes a question in, if it is like the others. */
  add(asked: AskedQuestion, call: CallPlaces): boolean {
    if (!isLike(this.#first, asked, this.#count)) return false;
    const places = this.#places;
    const from = places.length;
    this.#count += 1;
    this.#addPlaces(asked, call);
    for (let place = from; place < places.length; place += 1) {
      const before = places[place - this.#width] as number;
      if (places[place] !== before) this.#areSame = false;
      if (places[place] !== before + this.#width) this.#areNext = false;
    }
    return true;
  }

  /** The group as the items of a JSON array. */
  get text(): string {
    const { deadlineMs, serial } = this.#first.charge ?? NO_CHARGE;
    const count = this.#areSame && this.#count > 1 ? -this.#count : this.#count;
    const isShort = this.#areSame || this.#areNext;
    const places = isShort ? this.#places.slice(0, this.#width) : this.#places;
    const tail = places.length === 0 ? "" : `,${places}`;
    return `${deadlineMs},${serial},${count},${this.#common}${tail}`;
  }

  #addPlaces({ targets }: AskedQuestion, call: CallPlaces): void {
    for (let index = 0; index < targets.length; index += 1) {
      const target = targets[index] as LimitsTarget;
      const { hasChain, slots } = this.#keys[index] as KeysOfTarget;
      if (hasChain) this.#places.push(call.chainPlace(target));
      for (const limit of slots) this.#places.push(call.leasesPlace(target, limit));
    }
  }
}

function keysOf(limits: readonly CheckLimit[], isUndoable: boolean): KeysOfTarget {
  const slots = limits.filter((limit) => limit.kind === "concurrency");
  return { hasChain: isUndoable || slots.length < limits.length, slots };
}

/** How many checks there are, the operation if there is one, and the checks. */
function commonText(
  { targets, cost, charge = NO_CHARGE }: AskedQuestion,
  keys: readonly KeysOfTarget[],
  call: CallPlaces,
): string {
  const checks: number[] = [];
  let place = 0;
  for (const [index, { limits }] of targets.entries()) {
    const { hasChain } = keys[index] as KeysOfTarget;
    const chain = hasChain ? ++place : 0;
    for (const limit of limits) {
      const asked = limit.kind === "concurrency" ? ++place : costFor(limit, cost);
      checks.push(chain, call.limitPlace(limit), asked);
    }
  }
  const items: (number | string)[] = [checks.length / 3];
  const { operationId, undoableForMs } = charge;
  if (operationId !== "") {
    const records = undoableForMs > 0 ? call.recordPlaces(targets, operationId) : [];
    items.push(JSON.stringify(operationId), undoableForMs, `[${records}]`);
  }
  return [...items, ...checks].join(",");
}

/** Whether a question differs from the first of `count` in nothing but whom it is about. */
function isLike(first: AskedQuestion, { targets, cost, charge }: AskedQuestion, count: number) {
  if (!isNextCharge(first.charge, charge, count)) return false;
  if (targets.length !== first.targets.length) return false;
  for (let index = 0; index < targets.length; index += 1) {
    if (targets[index]?.limits !== first.targets[index]?.limits) return false;
  }
  return isSameCost(first.cost, cost);
}

function isNextCharge(
  first: AskedCharge | undefined,
  next: AskedCharge | undefined,
  count: number,
) {
  if (first === undefined || next === undefined) return first === next;
  return (
    next.serial === first.serial + count &&
    next.deadlineMs === first.deadlineMs &&
    next.operationId === "" &&
    first.operationId === ""
  );
}

/** Costs name the units of their limiter, in one order. */
function isSameCost(one: FullCost, other: FullCost): boolean {
  if (one === other) return true;
  for (const unit in one) if (one[unit] !== other[unit]) return false;
  return true;
}
