/** What an event does when its instant has come. */
export interface EventTarget {
  /**
   * @param ticket what {@link EventHeap.add} returned. A target that has changed its mind compares
   *   it with the ticket it waits for: events are not taken out of the heap, they are ignored.
   */
  run(ticket: number): void;
}

const FIRST_SIZE = 256;

/**
 * Events in the order in which they happen: by instant, then by the order in which they were added.
 * A binary heap over flat arrays, so that adding and taking allocate nothing: a run of a scenario
 * has millions of events.
 */
export class EventHeap {
  #dueAtMs = new Float64Array(FIRST_SIZE);
  #tickets = new Float64Array(FIRST_SIZE);
  readonly #targets: EventTarget[] = [];
  #lastTicket = 0;

  get size(): number {
    return this.#targets.length;
  }

  /** The instant of the next event; `Infinity` if there is none. */
  get nextDueMs(): number {
    return this.#targets.length === 0 ? Number.POSITIVE_INFINITY : (this.#dueAtMs[0] as number);
  }

  /** @returns the ticket of the event, an integer of 1 or more that no other event has. */
  add(dueAtMs: number, target: EventTarget): number {
    this.#lastTicket += 1;
    const ticket = this.#lastTicket;
    const size = this.#targets.length;
    if (size === this.#dueAtMs.length) this.#grow();
    this.#targets.push(target);
    let place = size;
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      // Tickets rise, so that among equals the parent is first anyway.
      if ((this.#dueAtMs[parent] as number) <= dueAtMs) break;
      this.#move(parent, place);
      place = parent;
    }
    this.#put(place, dueAtMs, ticket, target);
    return ticket;
  }

  /** Takes the next event out and runs it. Does nothing if there is none. */
  runNext(): void {
    const target = this.#targets[0];
    if (target === undefined) return;
    const ticket = this.#tickets[0] as number;
    const size = this.#targets.length - 1;
    const last = this.#targets.pop() as EventTarget;
    if (size > 0) {
      this.#sink(this.#dueAtMs[size] as number, this.#tickets[size] as number, last);
    }
    target.run(ticket);
  }

  /** Puts what stood last on its place, from the top down. */
  #sink(dueAtMs: number, ticket: number, target: EventTarget): void {
    const size = this.#targets.length;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= size) break;
      if (child + 1 < size && this.#isBefore(child + 1, child)) child += 1;
      const childDueMs = this.#dueAtMs[child] as number;
      if (childDueMs > dueAtMs) break;
      if (childDueMs === dueAtMs && (this.#tickets[child] as number) > ticket) break;
      this.#move(child, place);
      place = child;
    }
    this.#put(place, dueAtMs, ticket, target);
  }

  #isBefore(a: number, b: number): boolean {
    const aMs = this.#dueAtMs[a] as number;
    const bMs = this.#dueAtMs[b] as number;
    if (aMs !== bMs) return aMs < bMs;
    return (this.#tickets[a] as number) < (this.#tickets[b] as number);
  }

  #move(from: number, to: number): void {
    this.#dueAtMs[to] = this.#dueAtMs[from] as number;
    this.#tickets[to] = this.#tickets[from] as number;
    this.#targets[to] = this.#targets[from] as EventTarget;
  }

  #put(place: number, dueAtMs: number, ticket: number, target: EventTarget): void {
    this.#dueAtMs[place] = dueAtMs;
    this.#tickets[place] = ticket;
    this.#targets[place] = target;
  }

  #grow(): void {
    const dueAtMs = new Float64Array(this.#dueAtMs.length * 2);
    const tickets = new Float64Array(this.#tickets.length * 2);
    dueAtMs.set(this.#dueAtMs);
    tickets.set(this.#tickets);
    this.#dueAtMs = dueAtMs;
    this.#tickets = tickets;
  }
}
