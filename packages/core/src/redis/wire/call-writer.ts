import type { DescriptorKey } from "../../engine/command";
import type { CheckLimit, PoolUnitLimit } from "../../limit/limit";
import type { KeyTexts } from "../key/key-texts";
import { type AskedQuestion, QuestionGroup } from "./question-group";

/** The places of a limit's kind in the scripts (see lua/wire/question.lua). */
const KIND_NUMBERS: Readonly<Record<CheckLimit["kind"], number>> = {
  "fixed-window": 1,
  "sliding-window": 2,
  "sliding-log": 3,
  "token-bucket": 4,
  concurrency: 5,
  "pool-unit": 6,
};

/** How each limit is written; limits are frozen and live long. */
const limitTexts = new WeakMap<CheckLimit, string>();

/**
 * Writes the keys and the argument of one call: the limits that its commands name, each once, and
 * then the commands, each a JSON array of numbers and texts. Places count from 1, as Lua does.
 */
export class CallWriter {
  readonly #texts: KeyTexts;
  readonly #keys: string[] = [];
  readonly #keyPlaces = new Map<string, number>();
  readonly #limitPlaces = new Map<CheckLimit, number>();
  #limits = "";
  #commands = "";
  #body = "";
  /** Questions that are not among the commands yet: others may join them. */
  #group: QuestionGroup | undefined;

  constructor(texts: KeyTexts) {
    this.#texts = texts;
  }

  /** The keys of the call, in order. */
  get keys(): readonly string[] {
    return this.#keys;
  }

  /** The argument, after all commands were written. */
  get argument(): string {
    this.#endGroup();
    return `[[${this.#limits}]${this.#commands}]`;
  }

  /** What was written since the last call of this is one command. */
  endCommand(): void {
    this.#commands += `,[${this.#body}]`;
    this.#body = "";
  }

  /** A question, as a command of its own or together with those before. */
  question(asked: AskedQuestion): void {
    if (this.#group?.add(asked, this) === true) return;
    this.#endGroup();
    this.#group = new QuestionGroup(asked, this);
  }

  #endGroup(): void {
    if (this.#group === undefined) return;
    this.#commands += `,[${this.#group.text}]`;
    this.#group = undefined;
  }

  number(value: number): void {
    this.#item(`${value}`);
  }

  text(value: string): void {
    this.#item(JSON.stringify(value));
  }

  limit(limit: CheckLimit): void {
    this.number(this.limitPlace(limit));
  }

  limitPlace(limit: CheckLimit): number {
    let place = this.#limitPlaces.get(limit);
    if (place === undefined) {
      place = this.#limitPlaces.size + 1;
      this.#limitPlaces.set(limit, place);
      this.#limits += this.#limits === "" ? limitText(limit) : `,${limitText(limit)}`;
    }
    return place;
  }

  /** The place of a descriptor's chain. */
  chain(descriptor: DescriptorKey): void {
    this.number(this.chainPlace(descriptor));
  }

  chainPlace(descriptor: DescriptorKey): number {
    return this.#placeOf(this.#texts.chain(descriptor));
  }

  /** The place of a limit's leases; 0 for a limit that has none. */
  leases(descriptor: DescriptorKey, limit: CheckLimit): void {
    if (limit.kind !== "concurrency") {
      this.number(0);
      return;
    }
    this.number(this.leasesPlace(descriptor, limit));
  }

  leasesPlace(descriptor: DescriptorKey, limit: CheckLimit): number {
    return this.#placeOf(this.#texts.leases(this.#texts.chain(descriptor), limit.name));
  }

  /** The place of the record of an operation, if it needs one; else 0. */
  record(descriptor: DescriptorKey, operationId: string, isNeeded: boolean): void {
    this.number(isNeeded ? this.#recordPlace(descriptor, operationId) : 0);
  }

  /** For each descriptor the places of its chain and of the record of an operation. */
  recordPlaces(descriptors: readonly DescriptorKey[], operationId: string): readonly number[] {
    return descriptors.flatMap((descriptor) => [
      this.chainPlace(descriptor),
      this.#recordPlace(descriptor, operationId),
    ]);
  }

  /** Adds an item to the list of the command at hand. */
  #item(json: string): void {
    this.#body += this.#body === "" ? json : `,${json}`;
  }

  #recordPlace(descriptor: DescriptorKey, operationId: string): number {
    return this.#placeOf(this.#texts.record(this.#texts.chain(descriptor), operationId));
  }

  #placeOf(key: string): number {
    let place = this.#keyPlaces.get(key);
    if (place === undefined) {
      place = this.#keys.push(key);
      this.#keyPlaces.set(key, place);
    }
    return place;
  }
}

function limitText(limit: CheckLimit): string {
  let text = limitTexts.get(limit);
  if (text === undefined) {
    const { name, kind, unit, max, mode } = limit;
    const [a, b] = shapeOf(limit);
    const isEnforced = mode === "enforce" ? 1 : 0;
    const fields = [name, KIND_NUMBERS[kind], unit, max, a, b, isEnforced];
    const poolFields = limit.kind === "pool-unit" ? poolFieldsOf(limit) : [];
    text = JSON.stringify([...fields, ...poolFields]);
    limitTexts.set(limit, text);
  }
  return text;
}

/** What a unit of a pool has besides; places count from 1. */
function poolFieldsOf(limit: PoolUnitLimit): readonly unknown[] {
  const { place, maxes, free, freeForNone, whenSaturated, ownClass } = limit;
  const lends = whenSaturated === "lend" ? 1 : 0;
  const { classes, guaranteed, skipped } = limit;
  const numbers = [place + 1, maxes.length, free, freeForNone, lends, ownClass + 1];
  return [...numbers, classes, guaranteed, skipped];
}

/** The two values that say what the state of a limit means. */
function shapeOf(limit: CheckLimit): readonly [number, number | string] {
  switch (limit.kind) {
    case "fixed-window":
      return [limit.windowMs, limit.anchor === "epoch" ? 1 : 0];
    case "sliding-window":
      return [limit.windowMs, limit.buckets];
    case "sliding-log":
      return [limit.windowMs, 0];
    case "token-bucket":
      return [limit.perMs, limit.refill];
    case "concurrency":
      return [limit.leaseMs, 0];
    case "pool-unit":
      return [limit.windowMs, limit.units];
  }
}
