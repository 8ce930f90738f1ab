import type { Clock } from "../clock/clock";
import type { SettleCommand } from "../engine/command";
import { StoreError } from "../error/store-error";
import { type Recorder, record } from "../event/recorder";
import type { Store } from "../store/store";
import type { Cost } from "./question";
import { type Reservation, releaseCommandFor, settleCommandFor, slotsOf } from "./reservation";

/** The first pause before a failed command is sent again; it doubles from there. */
const RETRY_FIRST_MS = 100;
const RETRY_PAUSE_MAX_MS = 5000;

/** How long a correction that surely did not execute is tried again; windows end anyway. */
const SETTLE_RETRY_FOR_MS = 60_000;

/**
 * Sends what closes permits. Never throws because of the store: corrections are sent at most once
 * unless they provably did not execute, and slots are freed again and again until their leases have
 * run out anyway.
 */
export class PermitCloser {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #recorder: Recorder | undefined;
  readonly #nextSerial: () => number;

  constructor(
    store: Store,
    clock: Clock,
    recorder: Recorder | undefined,
    nextSerial: () => number,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#recorder = recorder;
    this.#nextSerial = nextSerial;
  }

  /** Corrects to `actual` ("nothing" = not served), and frees the slots. */
  async settle(reservation: Reservation, actual: Cost | "nothing"): Promise<void> {
    const command = settleCommandFor(reservation, actual, this.#nextSerial());
    if (command !== undefined) await this.#settle(command, reservation, this.#clock.nowMs());
  }

  /** Frees the slots. */
  async release(reservation: Reservation): Promise<void> {
    await this.#release(reservation, this.#clock.nowMs(), RETRY_FIRST_MS);
  }

  async #settle(command: SettleCommand, reservation: Reservation, sinceMs: number): Promise<void> {
    try {
      await this.#store.settle(command);
    } catch (error) {
      this.#report("settle", error);
      if (error instanceof StoreError && error.isRetryable) {
        this.#settleLater(command, reservation, sinceMs, RETRY_FIRST_MS);
      } else {
        this.#releaseLater(reservation, sinceMs, RETRY_FIRST_MS);
      }
    }
  }

  #settleLater(
    command: SettleCommand,
    reservation: Reservation,
    sinceMs: number,
    pauseMs: number,
  ): void {
    if (this.#clock.nowMs() - sinceMs > SETTLE_RETRY_FOR_MS) return;
    this.#clock.after(pauseMs, () => {
      this.#store.settle(command).catch((error: unknown) => {
        const isRetryable = error instanceof StoreError && error.isRetryable;
        const nextPauseMs = Math.min(pauseMs * 2, RETRY_PAUSE_MAX_MS);
        if (isRetryable) this.#settleLater(command, reservation, sinceMs, nextPauseMs);
        else this.#releaseLater(reservation, sinceMs, nextPauseMs);
      });
    });
  }

  async #release(reservation: Reservation, sinceMs: number, pauseMs: number): Promise<void> {
    const command = releaseCommandFor(reservation);
    if (command === undefined) return;
    try {
      await this.#store.release(command);
    } catch (error) {
      this.#report("release", error);
      this.#releaseLater(reservation, sinceMs, pauseMs);
    }
  }

  #releaseLater(reservation: Reservation, sinceMs: number, pauseMs: number): void {
    const leases = slotsOf(reservation).map(({ limit }) => limit.leaseMs);
    if (leases.length === 0 || this.#clock.nowMs() - sinceMs >= Math.max(...leases)) return;
    this.#clock.after(pauseMs, () => {
      void this.#release(reservation, sinceMs, Math.min(pauseMs * 2, RETRY_PAUSE_MAX_MS));
    });
  }

  #report(operation: string, error: unknown): void {
    record(this.#recorder, { type: "store_failed", operation, error });
  }
}
