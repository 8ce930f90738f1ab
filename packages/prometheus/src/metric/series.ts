/** One value for each label. */
export type ValuesOf<L extends readonly string[]> = { readonly [I in keyof L]: string };

/** A cell, and the labels that lead to it. */
export interface LabelledCell<C> {
  readonly labels: Readonly<Record<string, string>>;
  readonly cell: C;
}

/** What takes the place of names when there are too many of them. */
export const OTHER = "other";

/** Labels whose values are words of closed lists; all others hold names that somebody has given. */
const CLOSED = new Set([
  "cause",
  "code",
  "how",
  "operation",
  "outcome",
  "policy",
  "reason",
  "result",
  "source",
]);

/**
 * The cells of one metric: one for each combination of label values that occurs. Beyond `max`
 * combinations, those that are new share the cells in which all names are `other`, so that their
 * number stays bounded whatever names come.
 */
export class Series<const L extends readonly string[], C> {
  readonly all: LabelledCell<C>[] = [];
  readonly #names: L;
  readonly #make: () => C;
  readonly #max: number;
  /** Maps by the first label, in them by the second, and so on; a cell if there is no label. */
  readonly #root: unknown;

  constructor(names: L, make: () => C, max: number) {
    this.#names = names;
    this.#make = make;
    this.#max = max;
    this.#root = names.length === 0 ? this.#newCell([]) : new Map();
  }

  at(...values: ValuesOf<L>): C {
    let found = this.#root;
    for (const value of values) {
      found = (found as Map<string, unknown>).get(value);
      if (found === undefined) return this.#add(values);
    }
    return found as C;
  }

  #add(given: ValuesOf<L>): C {
    const isFull = this.all.length >= this.#max;
    const values = isFull ? given.map((value, index) => this.#folded(value, index)) : [...given];
    let branch = this.#root as Map<string, unknown>;
    for (const value of values.slice(0, -1)) {
      let next = branch.get(value) as Map<string, unknown> | undefined;
      if (next === undefined) {
        next = new Map();
        branch.set(value, next);
      }
      branch = next;
    }
    const last = values.at(-1) as string;
    if (!branch.has(last)) branch.set(last, this.#newCell(values));
    return branch.get(last) as C;
  }

  #folded(value: string, index: number): string {
    return CLOSED.has(this.#names[index] as string) ? value : OTHER;
  }

  #newCell(values: readonly string[]): C {
    const cell = this.#make();
    const labels = Object.fromEntries(
      this.#names.map((name, index) => [name, values[index] ?? ""]),
    );
    this.all.push({ labels: Object.freeze(labels), cell });
    return cell;
  }
}
