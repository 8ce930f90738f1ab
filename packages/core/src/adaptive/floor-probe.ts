import type { Milliseconds } from "../limit/limit";
import type { Random } from "../random/random";

const EVERY_MS = 1000;

/**
 * Gives one probe for each second, to whoever asks first in it. By the second and not a second
 * after the last one, so that the gaps between requests do not add up. Where a process's seconds
 * begin is drawn, so that those of a fleet do not probe together.
 */
export class FloorProbe {
  readonly #offsetMs: Milliseconds;
  #lastSecond = Number.NEGATIVE_INFINITY;

  constructor(random: Random) {
    this.#offsetMs = (random.next() * EVERY_MS) / 2;
  }

  take(nowMs: Milliseconds): boolean {
    const second = Math.floor((nowMs - this.#offsetMs) / EVERY_MS);
    if (second <= this.#lastSecond) return false;
    this.#lastSecond = second;
    return true;
  }
}
