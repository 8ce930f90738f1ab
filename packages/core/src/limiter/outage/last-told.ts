import type { DescriptorKey } from "../../engine/command";
import { chargeName } from "../../engine/operation-records";
import type { CheckReply } from "../../engine/reply";
import type { CheckLimit, Milliseconds } from "../../limit/limit";

/** Descriptors in each of two generations: bounds the memory at about 30 MB, usually far less. */
const GENERATION_MAX = 50_000;

/** In the place of {@link Told.chargedAt}: nothing was charged. */
const NOTHING_CHARGED = -1;

/**
 * What the store said last about one limit of one descriptor. Written over by the next verdict,
 * because an object more for each verdict that lives until the next one is what collecting costs
 * most for: read it, do not keep it.
 */
export interface Told {
  readonly limit: CheckLimit;
  readonly used: number;
  readonly resetAfterMs: Milliseconds;
  /** As in the reply of a check; negative if nothing was charged. */
  readonly chargedAt: number;
  readonly serial: number;
  /** When, by the clock of this process. */
  readonly atMs: Milliseconds;
  /** Of a limit of slots: how many of those in use are of this process. */
  readonly ownSlots: number;
}

/** The same, for whoever writes it. */
type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

/** When the store said something, and how many slots were of this process then. */
type Hearing = Pick<Told, "atMs" | "ownSlots">;

/** What the store said last about the limits of one descriptor: few, so they are in a list. */
class ToldOfKey {
  readonly #told: Writable<Told>[] = [];

  /** By the name of a limit, or of a unit of a pool (see `chargeName`). */
  find(name: string): Told | undefined {
    for (const told of this.#told) if (chargeName(told.limit) === name) return told;
    return undefined;
  }

  set(limit: CheckLimit, check: CheckReply, { atMs, ownSlots }: Hearing): void {
    const { used, resetAfterMs, chargedAt = NOTHING_CHARGED, serial } = check;
    const told = this.find(chargeName(limit)) as Writable<Told> | undefined;
    if (told === undefined) {
      this.#told.push({ limit, used, resetAfterMs, chargedAt, serial, atMs, ownSlots });
      return;
    }
    told.limit = limit;
    told.used = used;
    told.resetAfterMs = resetAfterMs;
    told.chargedAt = chargedAt;
    told.serial = serial;
    told.atMs = atMs;
    told.ownSlots = ownSlots;
  }
}

/** By kind and id: joining them for each verdict would cost more than the second look-up. */
class Generation {
  readonly #kinds = new Map<string, Map<string, ToldOfKey>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get({ kind, id }: DescriptorKey): ToldOfKey | undefined {
    return this.#kinds.get(kind)?.get(id);
  }

  add({ kind, id }: DescriptorKey, told: ToldOfKey): void {
    const ofKind = this.#kinds.get(kind) ?? new Map<string, ToldOfKey>();
    this.#kinds.set(kind, ofKind.set(id, told));
    this.#size += 1;
  }

  delete({ kind, id }: DescriptorKey): void {
    if (this.#kinds.get(kind)?.delete(id) === true) this.#size -= 1;
  }
}

/**
 * Remembers what the store said last, so that a limiter left alone starts from there. When the
 * younger of two generations is full, the older one is forgotten: what was heard of recently stays,
 * and nothing has to be moved for each verdict.
 */
export class LastTold {
  #young = new Generation();
  #old = new Generation();

  /** What was said of a descriptor: to be written. */
  open(key: DescriptorKey): ToldOfKey {
    return this.#young.get(key) ?? this.#revive(key);
  }

  find(key: DescriptorKey, limit: string): Told | undefined {
    return (this.#young.get(key) ?? this.#old.get(key))?.find(limit);
  }

  forget(key: DescriptorKey): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  #revive(key: DescriptorKey): ToldOfKey {
    const ofKey = this.#old.get(key) ?? new ToldOfKey();
    if (this.#young.size >= GENERATION_MAX) {
      this.#old = this.#young;
      this.#young = new Generation();
    }
    this.#young.add(key, ofKey);
    return ofKey;
  }
}

/** Kinds have no colon, so no two descriptors share a text. */
export function keyText({ kind, id }: DescriptorKey): string {
  return `${kind}:${id}`;
}
