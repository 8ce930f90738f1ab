/**
 * What a class of weight 1 pays for a turn. A multiple of 1 to 24, so that usual weights (3, .75,
 * .35, 1 / 7) have strides without a remainder, and their turns come out as on paper.
 */
const TURN = 5_354_228_880;

/** Below 2 ** 53 by more than the longest stride, so that sums stay exact. */
const REBASE_AT = 2 ** 52;

/** Bounds of a weight: strides are then integers from 535 423 to 53 542 288 800 000. */
export const WEIGHT_MIN = 0.0001;
export const WEIGHT_MAX = 10_000;

/** Somebody who takes turns in proportion to a weight. Changed by its {@link Stride} only. */
export interface Strider {
  /** Where its next turn lies in virtual time. An integer. */
  pass: number;
  /** How far a turn moves it: {@link strideOf} its weight. */
  stride: number;
}

/** How far one turn moves a member of this weight ({@link WEIGHT_MIN} to {@link WEIGHT_MAX}). */
export function strideOf(weight: number): number {
  return Math.round(TURN / weight);
}

/**
 * Turns in proportion to weights: the member with the smallest pass has the next turn, which moves
 * it by its stride, in inverse proportion to its weight. Over any stretch in which two members both
 * wait, what they got for their weight differs by less than one turn of each.
 *
 * Invariants: passes and virtual time are integers below 2 ** 53, so that nothing drifts however
 * many turns are taken. Virtual time never goes back. Nobody saves up turns: who comes back after a
 * pause starts at virtual time if its own pass is behind that, and so does who could not use its
 * turns (it keeps being first, but for one turn and not for all that it let go).
 *
 * @remarks Stride scheduling (Waldspurger and Weihl, 1995) with the start tags of start-time fair
 * queuing (Goyal, Vin and Cheng, 1996).
 */
export class Stride {
  readonly #members: Strider[] = [];
  #virtual = 0;

  /** Lets a member take part from now on, at virtual time. */
  add(member: Strider): void {
    member.pass = this.#virtual;
    this.#members.push(member);
  }

  /** Changes what a turn costs a member, from its next turn on. */
  reweigh(member: Strider, stride: number): void {
    member.stride = stride;
    // What it paid under a much smaller weight must not keep it waiting under a larger one.
    member.pass = Math.min(member.pass, this.#virtual + stride);
  }

  /** Notes that a member begins to wait. */
  comeBack(member: Strider): void {
    if (member.pass < this.#virtual) member.pass = this.#virtual;
  }

  /** Notes that a member has had a turn. */
  charge(member: Strider): void {
    this.#virtual = Math.max(this.#virtual, member.pass);
    member.pass = this.#virtual + member.stride;
    if (this.#virtual < REBASE_AT) return;
    for (const each of this.#members) each.pass -= this.#virtual;
    this.#virtual = 0;
  }
}
