import type { Clock } from "../clock/clock";
import type { DescriptorKey, SettleCommand } from "../engine/command";
import { StoreError } from "../error/store-error";
import { type Recorder, record } from "../event/recorder";
import type { Milliseconds } from "../limit/limit";
import type { Store } from "../store/store";
import type { Cost } from "./question";
import { type Reservation, releaseCommandFor, settleCommandFor, slotsOf } from "./reservation";

/** The first pause before a failed command is sent again; it doubles from there. */
const RETRY_FIRST_MS = 100;
const RETRY_PAUSE_MAX_MS = 5000;

/** How long a correction that surely did not execute is tried again; windows end anyway. */
const SETTLE_RETRY_FOR_MS = 60_000;

/** Since when a command has been tried, and the pause before it is tried again. */
interface Tries {
  readonly sinceMs: Milliseconds;
  readonly pauseMs: Milliseconds;
}

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
  readonly #onFreed: (targets: readonly DescriptorKey[]) => void;

  /** `onFreed` hears of each command that has given something back. */
  constructor(
    store: Store,
    clock: Clock,
    recorder: Recorder | undefined,
    nextSerial: () => number,
    onFreed: (targets: readonly DescriptorKey[]) => void = () => {},
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#recorder = recorder;
    this.#nextSerial = nextSerial;
    this.#onFreed = onFreed;
  }

  /** Corrects to `actual` ("nothing" = not served), and frees the slots. */
  async settle(reservation: Reservation, actual: Cost | "nothing"): Promise<void> {
    const command = settleCommandFor(reservation, actual, this.#nextSerial());
    if (command !== undefined) await this.#settle(command, reservation, this.#firstTry());
  }

  /** Frees the slots. */
  async release(reservation: Reservation): Promise<void> {
    await this.#release(reservation, this.#firstTry());
  }

  async #settle(command: SettleCommand, reservation: Reservation, tries: Tries): Promise<void> {
    try {
      await this.#store.settle(command);
      this.#onFreed(command.targets);
    } catch (error) {
      this.#report("settle", error);
      const again = this.#clock.nowMs() - tries.sinceMs < SETTLE_RETRY_FOR_MS;
      const rest = again ? unexecutedOf(command, error) : undefined;
      // What is sent again frees its own slots; those of the rest may not have been freed.
      if (rest !== command) this.#releaseLater(reservation, tries);
      if (rest !== undefined) this.#later(tries, (next) => this.#settle(rest, reservation, next));
    }
  }

  async #release(reservation: Reservation, tries: Tries): Promise<void> {
    const command = releaseCommandFor(reservation);
    if (command === undefined) return;
    try {
      await this.#store.release(command);
      this.#onFreed(command.targets);
    } catch (error) {
      this.#report("release", error);
      this.#releaseLater(reservation, tries);
    }
  }

  #releaseLater(reservation: Reservation, tries: Tries): void {
    const leases = slotsOf(reservation).map(({ limit }) => limit.leaseMs);
    if (this.#clock.nowMs() - tries.sinceMs >= Math.max(0, ...leases)) return;
    this.#later(tries, (next) => this.#release(reservation, next));
  }

  #firstTry(): Tries {
    return { sinceMs: this.#clock.nowMs(), pauseMs: RETRY_FIRST_MS };
  }

  #later({ sinceMs, pauseMs }: Tries, again: (next: Tries) => Promise<void>): void {
    const next = { sinceMs, pauseMs: Math.min(pauseMs * 2, RETRY_PAUSE_MAX_MS) };
    this.#clock.after(pauseMs, () => void again(next));
  }

  #report(operation: string, error: unknown): void {
    record(this.#recorder, { type: "store_failed", operation, error });
  }
}

/** What of a command surely did not execute, and can be sent again; undefined if nothing. */
function unexecutedOf(command: SettleCommand, error: unknown): SettleCommand | undefined {
  if (!(error instanceof StoreError)) return undefined;
  if (error.isRetryable) return command;
  if (error.unexecuted === undefined) return undefined;
  const places = new Set(error.unexecuted);
  return { ...command, targets: command.targets.filter((_, place) => places.has(place)) };
}
