import type { LimitState } from "../../engine/state";
import { IdTable } from "./id-table";

/** Kinds with a table of their own; further ones, which no ordinary program has, share one. */
const KINDS_MAX = 64;

/**
 * The states of descriptors by kind and id. A kind has a table of its own, so that the caller's id
 * is the key and no text is joined for a look-up.
 */
export class KeyTable {
  readonly #kinds = new Map<string, IdTable>();
  readonly #shared: IdTable;
  readonly #seed: number;
  #size = 0;
  /** The kind looked up last, and its table: most programs ask for one or two in turn. */
  #lastKind = "";
  #lastTable: IdTable | undefined;

  /** `seed` makes the spread unpredictable to whoever chooses the ids. */
  constructor(seed: number) {
    this.#seed = seed;
    this.#shared = new IdTable(seed);
  }

  get size(): number {
    return this.#size;
  }

  get(kind: string, id: string): LimitState | undefined {
    const own = this.#tableOf(kind);
    return own === undefined ? this.#shared.get(sharedId(kind, id)) : own.get(id);
  }

  set(kind: string, id: string, state: LimitState): void {
    const own = this.#tableOf(kind) ?? this.#newKind(kind);
    const table = own ?? this.#shared;
    const sizeBefore = table.size;
    table.set(own === undefined ? sharedId(kind, id) : id, state);
    this.#size += table.size - sizeBefore;
  }

  delete(kind: string, id: string): boolean {
    const own = this.#tableOf(kind);
    const wasThere = own === undefined ? this.#shared.delete(sharedId(kind, id)) : own.delete(id);
    if (wasThere) this.#size -= 1;
    return wasThere;
  }

  clear(): void {
    for (const table of this.#kinds.values()) table.clear();
    this.#kinds.clear();
    this.#shared.clear();
    this.#lastKind = "";
    this.#lastTable = undefined;
    this.#size = 0;
  }

  /** A walk round and round over all entries, a few at a time, while entries come and go. */
  walk(): TableWalk {
    return new TableWalk(() => this.#tables());
  }

  *#tables(): Generator<readonly [string | undefined, IdTable]> {
    yield* this.#kinds;
    yield [undefined, this.#shared];
  }

  #tableOf(kind: string): IdTable | undefined {
    if (kind === this.#lastKind) return this.#lastTable;
    const table = this.#kinds.get(kind);
    if (table !== undefined) {
      this.#lastKind = kind;
      this.#lastTable = table;
    }
    return table;
  }

  #newKind(kind: string): IdTable | undefined {
    if (this.#kinds.size >= KINDS_MAX) return undefined;
    const table = new IdTable(this.#seed);
    this.#kinds.set(kind, table);
    return table;
  }
}

/** Kinds hold no `:`, so the two parts can be told apart again. */
function sharedId(kind: string, id: string): string {
  return `${kind}:${id}`;
}

type Tables = Iterator<readonly [string | undefined, IdTable]>;

/** Shown an entry by a walk. */
export type EntryVisitor = (kind: string, id: string, state: LimitState) => void;

/** A position in a {@link KeyTable}, between two visits. */
export class TableWalk {
  readonly #begin: () => Tables;
  #tables: Tables | undefined;
  #kind: string | undefined;
  #table: IdTable | undefined;
  /** Shown last in that table. */
  #slot = 0;

  constructor(begin: () => Tables) {
    this.#begin = begin;
  }

  /**
   * Shows the next `count` entries, at most to the end of the round, and moves on. The visitor may
   * delete the entry it is shown. Returns whether the round is over: every entry that was there all
   * the time has been shown once, and the next visit begins a new round.
   */
  visit(count: number, visitor: EntryVisitor): boolean {
    let left = count;
    while (left > 0) {
      this.#slot = this.#table?.slotAfter(this.#slot) ?? 0;
      if (this.#table !== undefined && this.#slot !== 0) {
        left -= 1;
        this.#show(this.#table.idAt(this.#slot), this.#table.stateAt(this.#slot), visitor);
        continue;
      }
      this.#tables ??= this.#begin();
      const next = this.#tables.next();
      if (next.done) {
        this.#tables = undefined;
        this.#table = undefined;
        return true;
      }
      [this.#kind, this.#table] = next.value;
    }
    return false;
  }

  #show(key: string, state: LimitState, visitor: EntryVisitor): void {
    if (this.#kind !== undefined) {
      visitor(this.#kind, key, state);
      return;
    }
    const colon = key.indexOf(":");
    visitor(key.slice(0, colon), key.slice(colon + 1), state);
  }
}
