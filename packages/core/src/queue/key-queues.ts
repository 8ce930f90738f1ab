import { Longest } from "./longest";
import { type Leave, WaitQueue } from "./wait-queue";

/** Those who wait under one key. */
interface Lane<T> {
  readonly items: WaitQueue<T>;
  leaveRing: Leave;
}

/** Takes an item out; `hadTurn` if it starts, so that its key goes to the end of the round. */
export type LeaveKeyed = (hadTurn: boolean) => boolean;

/**
 * First in, first out under each key, and turn by turn between keys: of a thousand that wait under
 * one key and one under another, the one is first or second. Items without a key share one.
 *
 * Every operation is O(1). A key is known only while somebody waits under it, so there are never
 * more keys than items; one that comes back goes to the end of the round, and so saves up nothing.
 */
export class KeyQueues<T> {
  readonly #arrivals = new WaitQueue<T>();
  readonly #lanes = new Map<string | undefined, Lane<T>>();
  /** The lanes in the order of their turns. */
  readonly #ring = new WaitQueue<Lane<T>>();
  readonly #lengths = new Longest<Lane<T>>();

  get length(): number {
    return this.#arrivals.length;
  }

  /** Whose turn it is, left in its place. */
  get head(): T | undefined {
    return this.#ring.first?.items.first;
  }

  /** Who came last, under whatever key, left in its place. */
  get newest(): T | undefined {
    return this.#arrivals.last;
  }

  /**
   * Who is to be put out so that one more under `key` finds a place, left in its place: the newest
   * of the key under which most wait, if that key then still has no fewer than `key` has.
   */
  newestOfLongest(key: string | undefined): T | undefined {
    const own = this.#lanes.get(key)?.items.length ?? 0;
    const items = this.#lengths.longest?.items;
    return items !== undefined && items.length > own + 1 ? items.last : undefined;
  }

  append(item: T, key: string | undefined): LeaveKeyed {
    const lane = this.#laneOf(key);
    const leaveArrivals = this.#arrivals.append(item);
    const leaveLane = lane.items.append(item);
    this.#lengths.grown(lane);
    return (hadTurn) => {
      if (!leaveArrivals()) return false;
      leaveLane();
      this.#lengths.shrunk(lane);
      this.#afterLeaving(key, lane, hadTurn);
      return true;
    };
  }

  /**
   * The place (from 1) that a newcomer under `key` would have: exact if all wait under one key,
   * otherwise an upper bound, since keys with fewer items drop out of the round.
   */
  placeOf(key: string | undefined): number {
    const lane = this.#lanes.get(key);
    const round = this.#lanes.size + (lane === undefined ? 1 : 0);
    return Math.min(this.length + 1, ((lane?.items.length ?? 0) + 1) * round);
  }

  #laneOf(key: string | undefined): Lane<T> {
    const known = this.#lanes.get(key);
    if (known !== undefined) return known;
    const lane: Lane<T> = { items: new WaitQueue<T>(), leaveRing: () => false };
    lane.leaveRing = this.#ring.append(lane);
    this.#lanes.set(key, lane);
    return lane;
  }

  #afterLeaving(key: string | undefined, lane: Lane<T>, hadTurn: boolean): void {
    const isEmpty = lane.items.length === 0;
    if (!isEmpty && !hadTurn) return;
    lane.leaveRing();
    if (isEmpty) this.#lanes.delete(key);
    else lane.leaveRing = this.#ring.append(lane);
  }
}
