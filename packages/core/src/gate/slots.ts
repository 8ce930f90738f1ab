/** A class as {@link Slots} sees it. `kept` and `inFlight` are changed by `Slots` only. */
export interface SlotClass {
  /** Slots that were reserved for it. */
  reserved: number;
  /** What is kept free of them under the present cap. */
  kept: number;
  inFlight: number;
}

/**
 * Who holds how many of the slots, and who may take one more: class c, if
 * in flight + 1 + sum over the others of max(0, kept - in flight) <= cap.
 *
 * A cap that shrinks below the reservations would shut classes out. So they shrink with it: as soon
 * as they do not fit or leave no slot to a class of none, each is scaled by (cap - 1) / (their
 * sum), rounded down. Then, whatever the cap (1 or more) is, an idle gate lets any class in, and
 * all of them together can have what is kept for them. The number of what is kept but unused is
 * carried along, so that asking is O(1).
 */
export class Slots {
  readonly #classes: readonly SlotClass[];
  #cap = 1;
  #inFlight = 0;
  /** Slots that are kept and not in use, over all classes. */
  #unused = 0;

  constructor(classes: readonly SlotClass[], cap: number) {
    this.#classes = classes;
    this.resize(cap);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Whether nobody may start, whatever the class. */
  get areTaken(): boolean {
    return this.#inFlight >= this.#cap;
  }

  /** How many slots may be in use while nothing that is kept for other classes is touched. */
  usableBy(one: SlotClass): number {
    return this.#cap - this.#unused + unusedOf(one);
  }

  hasRoomFor(one: SlotClass): boolean {
    return this.#inFlight < this.usableBy(one);
  }

  start(one: SlotClass): void {
    if (one.inFlight < one.kept) this.#unused -= 1;
    one.inFlight += 1;
    this.#inFlight += 1;
  }

  end(one: SlotClass): void {
    one.inFlight -= 1;
    this.#inFlight -= 1;
    if (one.inFlight < one.kept) this.#unused += 1;
  }

  /** Sets the cap, and reckons anew what is kept; also for changed reservations. */
  resize(cap: number): void {
    this.#cap = cap;
    const reserved = this.#classes.map((each) => each.reserved);
    const sum = reserved.reduce((total, each) => total + each, 0);
    const fits = reservationsFit(reserved, cap);
    for (const each of this.#classes) {
      each.kept = fits ? each.reserved : Math.floor((each.reserved * (cap - 1)) / sum);
    }
    this.#unused = this.#classes.reduce((total, each) => total + unusedOf(each), 0);
  }
}

/**
 * Whether all reservations can be in use at once, and whether each class can start when none is.
 */
export function reservationsFit(reserved: readonly number[], cap: number): boolean {
  const sum = reserved.reduce((total, each) => total + each, 0);
  return sum <= cap && sum - Math.min(...reserved, sum) < cap;
}

function unusedOf(one: SlotClass): number {
  return Math.max(0, one.kept - one.inFlight);
}
