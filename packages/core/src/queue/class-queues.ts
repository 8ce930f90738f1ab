import { KeyQueues, type LeaveKeyed } from "./key-queues";
import { Stride, type Strider, strideOf } from "./stride";

/** How a class stands among the others that wait. */
export interface ClassRule {
  readonly name: string;
  /**
   * Its part of the turns while others wait too: `WEIGHT_MIN` to `WEIGHT_MAX`, only the ratio
   * counts.
   */
  readonly weight: number;
  /** Who may be put out for whom, and who is first of two with equal passes. Any integer. */
  readonly rank: number;
  /**
   * Classes of a higher tier have all turns before those of a lower one, whatever their weights.
   */
  readonly tier: number;
}

/** Where somebody waits. Of one {@link ClassQueues}, and known to that one only. */
export interface Place<T> {
  readonly item: T;
  readonly className: string;
}

interface Member<T> extends Strider {
  rule: ClassRule;
  readonly queue: KeyQueues<Entry<T>>;
  /** Whether its head was asked since the last start, and did not fit. */
  hasYielded: boolean;
}

interface Entry<T> extends Place<T> {
  readonly member: Member<T>;
  readonly arrival: number;
  leave: LeaveKeyed;
}

/**
 * Those who wait, by class: turns between classes in proportion to their weights, inside a class
 * turn by turn between fairness keys, and under one key first in, first out.
 *
 * Whoever serves them asks {@link ClassQueues.next} whose turn it is, and then says one of three
 * things: it starts ({@link ClassQueues.take}), it does not fit now ({@link ClassQueues.yieldTurn}:
 * others are asked, and it keeps its place), or it has given up ({@link ClassQueues.leave}).
 * Between `next` and the answer anything may happen, so an attempt may take its time; it is for the
 * caller to have one attempt at a time.
 *
 * Appending and leaving are O(1), asking is O(classes). It knows no bound of its own; who appends
 * looks at `length` first, and at the number of classes.
 */
export class ClassQueues<T> {
  readonly #members = new Map<string, Member<T>>();
  readonly #stride = new Stride();
  #length = 0;
  #arrivals = 0;

  constructor(rules: readonly ClassRule[]) {
    for (const rule of rules) this.setClass(rule);
  }

  /** Adds a class, or changes one; those who wait in it keep their places. */
  setClass(rule: ClassRule): void {
    const stride = strideOf(rule.weight);
    const known = this.#members.get(rule.name);
    if (known !== undefined) {
      known.rule = rule;
      this.#stride.reweigh(known, stride);
      return;
    }
    const queue = new KeyQueues<Entry<T>>();
    const member = { rule, queue, stride, pass: 0, hasYielded: false };
    this.#stride.add(member);
    this.#members.set(rule.name, member);
  }

  get length(): number {
    return this.#length;
  }

  /** How many wait in one class; 0 for a class that there is not. */
  lengthOf(className: string): number {
    return this.#members.get(className)?.queue.length ?? 0;
  }

  /** Puts `item` at the end of its key's line. The class must be known. */
  append(item: T, className: string, key?: string): Place<T> {
    const member = this.#memberOf(className);
    if (member.queue.length === 0) this.#stride.comeBack(member);
    this.#arrivals += 1;
    const entry: Entry<T> = {
      item,
      className,
      member,
      arrival: this.#arrivals,
      leave: () => false,
    };
    entry.leave = member.queue.append(entry, key);
    this.#length += 1;
    return entry;
  }

  /**
   * Whose turn it is, left in its place: the head of the class that is first among those whose head
   * has not yielded. `undefined` if nobody waits, or if all heads have yielded; asked once more,
   * it then begins again with all of them.
   */
  next(): Place<T> | undefined {
    let first: Member<T> | undefined;
    for (const member of this.#members.values()) {
      if (member.queue.length === 0 || member.hasYielded) continue;
      if (first === undefined || isBefore(member, first)) first = member;
    }
    if (first === undefined) this.forgetYields();
    return first?.queue.head;
  }

  /**
   * Takes somebody out who starts: its class pays for the turn, its key goes to the end of the
   * round, and all classes may be asked again. False if it had left already.
   */
  take(place: Place<T>): boolean {
    const entry = place as Entry<T>;
    if (!this.#remove(entry, true)) return false;
    this.#stride.charge(entry.member);
    this.forgetYields();
    return true;
  }

  /**
   * Notes that somebody whose turn it is cannot start now: its class is not asked again until
   * another has started, all heads have yielded, or this one has left.
   */
  yieldTurn(place: Place<T>): void {
    const { member } = place as Entry<T>;
    if (member.queue.head === place) member.hasYielded = true;
  }

  /** Lets all classes be asked again. For who stops asking before all heads have yielded. */
  forgetYields(): void {
    for (const member of this.#members.values()) member.hasYielded = false;
  }

  /** Who is first in its class, left in its place; whether it has yielded does not matter. */
  firstOf(className: string): Place<T> | undefined {
    return this.#members.get(className)?.queue.head;
  }

  /** Whether somebody is the first of its class. False if it has left. */
  isHead(place: Place<T>): boolean {
    return (place as Entry<T>).member.queue.head === place;
  }

  /** Takes somebody out who does not start. Nobody pays. False if it had left already. */
  leave(place: Place<T>): boolean {
    return this.#remove(place as Entry<T>, false);
  }

  /**
   * Who is to be put out for a newcomer of `rank`, left in its place: of those whose rank is lower,
   * the newest of the lowest. `undefined` if there is none.
   */
  newestBelow(rank: number): Place<T> | undefined {
    let lowest: Entry<T> | undefined;
    for (const { rule, queue } of this.#members.values()) {
      const { newest } = queue;
      if (newest === undefined || rule.rank >= rank) continue;
      if (lowest === undefined || isPutOutBefore(newest, lowest)) lowest = newest;
    }
    return lowest;
  }

  /**
   * Who is to leave a full queue for a newcomer, left in its place: the newest of the lowest rank
   * below its own, else, so that the keys of its class have equal parts of the queue, the newest of
   * the key that most wait under, if these are at least two more than wait under its own.
   * `undefined` if there is nobody.
   */
  toPutOutFor(className: string, key?: string): Place<T> | undefined {
    const { rule, queue } = this.#memberOf(className);
    return this.newestBelow(rule.rank) ?? queue.newestOfLongest(key);
  }

  /**
   * The place (from 1) that a newcomer would have if nobody else came, by the weights of those who
   * wait. Exact for one class without keys; otherwise an estimate.
   */
  placeOf(className: string, key?: string): number {
    const own = this.#memberOf(className);
    const inClass = own.queue.placeOf(key);
    let place = inClass;
    for (const other of this.#members.values()) {
      if (other !== own) place += turnsBefore(other, own, inClass);
    }
    return place;
  }

  #memberOf(className: string): Member<T> {
    const member = this.#members.get(className);
    if (member === undefined) throw new Error(`no class ${className} in this queue`);
    return member;
  }

  #remove(entry: Entry<T>, hadTurn: boolean): boolean {
    const { member } = entry;
    const wasHead = member.queue.head === entry;
    if (!entry.leave(hadTurn)) return false;
    // Whoever is the head now has not been asked.
    if (wasHead) member.hasYielded = false;
    this.#length -= 1;
    return true;
  }
}

/** Of two with all else equal the one that was named first stays first: the loop keeps it. */
function isBefore<T>(a: Member<T>, b: Member<T>): boolean {
  if (a.rule.tier !== b.rule.tier) return a.rule.tier > b.rule.tier;
  if (a.pass !== b.pass) return a.pass < b.pass;
  return a.rule.rank > b.rule.rank;
}

function isPutOutBefore<T>(a: Entry<T>, b: Entry<T>): boolean {
  const [rankA, rankB] = [a.member.rule.rank, b.member.rule.rank];
  return rankA === rankB ? a.arrival > b.arrival : rankA < rankB;
}

/** How many of `other` start before the `count`-th of `own`. */
function turnsBefore<T>(other: Member<T>, own: Member<T>, count: number): number {
  const waiting = other.queue.length;
  if (waiting === 0 || other.rule.tier < own.rule.tier) return 0;
  if (other.rule.tier > own.rule.tier) return waiting;
  return Math.min(waiting, Math.floor((count * own.stride) / other.stride));
}
