import type { Milliseconds } from "../limit/limit";

const TURNS = 6;
const TURNS_WITHIN_MS = 60_000;
/** A move of less than this part of the extreme before it is no turn. */
const SWING = 0.2;
const AT_FLOOR_MS = 30_000;
/** Two reports of one cause are at least this far apart. */
const SILENCE_MS = 60_000;

/** What is wrong with how a limit moves, and for how long. */
export interface Instability {
  readonly cause: "oscillating" | "at_floor";
  readonly forMs: Milliseconds;
}

/** Watches a limit: whether it keeps turning, and whether it stays at its floor. */
export class Stability {
  /** Instants of the last turns, as a ring. */
  readonly #turns = new Float64Array(TURNS).fill(Number.NEGATIVE_INFINITY);
  #next = 0;
  #direction = 0;
  #extreme: number;
  #atFloorSinceMs: Milliseconds | undefined;
  readonly #silentUntilMs = {
    oscillating: Number.NEGATIVE_INFINITY,
    at_floor: Number.NEGATIVE_INFINITY,
  };

  constructor(value: number) {
    this.#extreme = value;
  }

  /** Notes a change that is not for measuring. Returns what is wrong now, if not just said. */
  changed(value: number, nowMs: Milliseconds): Instability | undefined {
    if (!this.#turnsAt(value)) return undefined;
    this.#turns[this.#next] = nowMs;
    this.#next = (this.#next + 1) % TURNS;
    // The oldest of the six is the one that will be overwritten next.
    const forMs = nowMs - (this.#turns[this.#next] ?? 0);
    if (forMs > TURNS_WITHIN_MS) return undefined;
    return this.#say("oscillating", forMs, nowMs);
  }

  /** Notes demand, and whether the limit is at its floor. Returns what is wrong now. */
  demanded(isAtFloor: boolean, nowMs: Milliseconds): Instability | undefined {
    if (!isAtFloor) {
      this.#atFloorSinceMs = undefined;
      return undefined;
    }
    this.#atFloorSinceMs ??= nowMs;
    const forMs = nowMs - this.#atFloorSinceMs;
    return forMs < AT_FLOOR_MS ? undefined : this.#say("at_floor", forMs, nowMs);
  }

  /** Follows the swings. Whether this one is a turn: back by a fifth from where it went last. */
  #turnsAt(value: number): boolean {
    const extreme = this.#extreme;
    const direction = Math.sign(value - extreme);
    if (direction === this.#direction) this.#extreme = value;
    if (direction === this.#direction || Math.abs(value - extreme) < SWING * extreme) return false;
    const isTurn = this.#direction !== 0;
    this.#direction = direction;
    this.#extreme = value;
    return isTurn;
  }

  #say(cause: Instability["cause"], forMs: number, nowMs: number): Instability | undefined {
    if (nowMs < this.#silentUntilMs[cause]) return undefined;
    this.#silentUntilMs[cause] = nowMs + SILENCE_MS;
    return { cause, forMs };
  }
}
