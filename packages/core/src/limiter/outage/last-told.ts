import type { DescriptorKey } from "../../engine/command";
import type { CheckReply } from "../../engine/reply";
import type { Limit, Milliseconds } from "../../limit/limit";

/** Descriptors in each of two generations: bounds the memory at about 40 MB, usually far less. */
const GENERATION_MAX = 50_000;

/** What the store said last about one limit of one descriptor. */
export interface Told {
  readonly limit: Limit;
  readonly check: CheckReply;
  /** When, by the clock of this process. */
  readonly atMs: Milliseconds;
  /** Of a limit of slots: how many of those in use are of this process. */
  readonly ownSlots: number;
}

type Generation = Map<string, Map<string, Told>>;

/**
 * Remembers what the store said last, so that a limiter left alone starts from there. When the
 * younger of two generations is full, the older one is forgotten: what was heard of recently stays,
 * and nothing has to be moved for each verdict.
 */
export class LastTold {
  #young: Generation = new Map();
  #old: Generation = new Map();

  /** What was said of a descriptor, by the names of its limits: to be written. */
  open(key: DescriptorKey): Map<string, Told> {
    const text = keyText(key);
    return this.#young.get(text) ?? this.#revive(text);
  }

  find(key: DescriptorKey, limit: string): Told | undefined {
    const text = keyText(key);
    return (this.#young.get(text) ?? this.#old.get(text))?.get(limit);
  }

  forget(key: DescriptorKey): void {
    const text = keyText(key);
    this.#young.delete(text);
    this.#old.delete(text);
  }

  #revive(text: string): Map<string, Told> {
    const ofKey = this.#old.get(text) ?? new Map<string, Told>();
    if (this.#young.size >= GENERATION_MAX) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(text, ofKey);
    return ofKey;
  }
}

/** Kinds have no colon, so no two descriptors share a text. */
export function keyText({ kind, id }: DescriptorKey): string {
  return `${kind}:${id}`;
}
