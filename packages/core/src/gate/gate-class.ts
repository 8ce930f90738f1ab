/** What `classes` says of one class of traffic. Explained at `GateOptions.classes`. */
export interface GateClassOptions {
  /**
   * Its part of the turns while other classes wait too: a number from 0.0001 to 10 000, of which
   * only the ratio to the others counts. `.75` and `.25` start three to one.
   *
   * @defaultValue 1. If no class of the gate has a weight, turns go by `rank`.
   */
  readonly weight?: number;
  /**
   * Slots that no other class may take, also while this class does not use them: an integer of 0 or
   * more. Larger: this class meets a free slot more often, and more slots stand idle.
   *
   * @defaultValue 0
   */
  readonly reserved?: number;
  /**
   * Who gives way at a full queue: a newcomer puts out the newest waiter of the lowest rank below
   * its own. An integer from 0 to 1000. Without any `weight` the higher rank also has all turns.
   *
   * @defaultValue 0
   */
  readonly rank?: number;
}

/** {@link GateClassOptions}, complete. */
export interface GateClassSettings {
  readonly weight: number;
  readonly reserved: number;
  readonly rank: number;
}
