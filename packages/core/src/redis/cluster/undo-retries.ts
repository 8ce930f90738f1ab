import type { Clock } from "../../clock/clock";
import type { UndoCommand } from "../../engine/command";
import { StoreError } from "../../error/store-error";
import type { Milliseconds } from "../../limit/limit";

/** The pause before an undo is sent again; it doubles to the second. */
const FIRST_PAUSE_MS = 100;
const PAUSE_MAX_MS = 1000;

/**
 * More undos than this wait for a server only in a long outage; what is charged without them is
 * gone when its window ends.
 */
const WAITING_MAX = 10_000;

/**
 * Sends undos again until they were answered, there is no record to find any more, or the store is
 * closed.
 */
export class UndoRetries {
  readonly #clock: Clock;
  readonly #send: (command: UndoCommand, slot: number) => Promise<unknown>;
  #waiting = 0;

  constructor(clock: Clock, send: (command: UndoCommand, slot: number) => Promise<unknown>) {
    this.#clock = clock;
    this.#send = send;
  }

  /** Never throws. */
  undo(command: UndoCommand, slot: number): void {
    if (this.#waiting >= WAITING_MAX) return;
    this.#waiting += 1;
    const endMs = this.#clock.nowMs() + command.tombstoneMs;
    this.#try(command, slot, endMs, FIRST_PAUSE_MS);
  }

  #try(command: UndoCommand, slot: number, endMs: Milliseconds, pauseMs: Milliseconds): void {
    this.#send(command, slot).then(
      () => {
        this.#waiting -= 1;
      },
      (error: unknown) => {
        if (isClosed(error) || this.#clock.nowMs() + pauseMs > endMs) {
          this.#waiting -= 1;
          return;
        }
        this.#clock.after(pauseMs, () => {
          this.#try(command, slot, endMs, Math.min(pauseMs * 2, PAUSE_MAX_MS));
        });
      },
    );
  }
}

function isClosed(error: unknown): boolean {
  return error instanceof StoreError && error.code === "SLUICE_STORE_CLOSED";
}
