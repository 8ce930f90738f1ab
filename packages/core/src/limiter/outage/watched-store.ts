import type { Clock } from "../../clock/clock";
import type {
  AdmitCommand,
  PeekCommand,
  ReleaseCommand,
  RenewCommand,
  ResetCommand,
  SettleCommand,
  UndoCommand,
} from "../../engine/command";
import type { AdmitReply, DoneReply, PeekReply, RenewReply, UndoReply } from "../../engine/reply";
import { type Recorder, record } from "../../event/recorder";
import type { Store } from "../../store/store";
import { isOutage, type Outage } from "./outage";

/**
 * A store whose failures and successes are noted, and told with the time they took if somebody
 * listens. Otherwise it is the store itself.
 */
export class WatchedStore implements Store {
  readonly #store: Store;
  readonly #outage: Outage;
  readonly #clock: Clock;
  readonly #recorder: Recorder | undefined;
  readonly #succeeded = (): void => this.#outage.succeeded();

  constructor(store: Store, outage: Outage, clock: Clock, recorder: Recorder | undefined) {
    this.#store = store;
    this.#outage = outage;
    this.#clock = clock;
    this.#recorder = recorder;
  }

  admit(command: AdmitCommand): Promise<AdmitReply> {
    return this.#watch("admit", () => this.#store.admit(command));
  }

  peek(command: PeekCommand): Promise<PeekReply> {
    return this.#watch("peek", () => this.#store.peek(command));
  }

  settle(command: SettleCommand): Promise<DoneReply> {
    return this.#watch("settle", () => this.#store.settle(command));
  }

  release(command: ReleaseCommand): Promise<DoneReply> {
    return this.#watch("release", () => this.#store.release(command));
  }

  renew(command: RenewCommand): Promise<RenewReply> {
    return this.#watch("renew", () => this.#store.renew(command));
  }

  undo(command: UndoCommand): Promise<UndoReply> {
    return this.#watch("undo", () => this.#store.undo(command));
  }

  reset(command: ResetCommand): Promise<DoneReply> {
    return this.#watch("reset", () => this.#store.reset(command));
  }

  async close(): Promise<void> {
    this.#outage.stop();
  }

  /**
   * Notes the outcome before whoever asks hears of it, and beside his promise: one more in between
   * is what every verdict would pay for.
   */
  #watch<R>(operation: string, call: () => Promise<R>): Promise<R> {
    const told = this.#recorder === undefined ? undefined : this.#timer(operation);
    const reply = promiseOf(call);
    const succeeded = told === undefined ? this.#succeeded : () => this.#answered(told);
    reply.then(succeeded, (error: unknown) => {
      told?.(true);
      if (isOutage(error)) this.#outage.failed(operation, error);
    });
    return reply;
  }

  #answered(told: (failed: boolean) => void): void {
    told(false);
    this.#outage.succeeded();
  }

  /** Starts now; what it returns tells the recorder how long the call took. */
  #timer(operation: string): (failed: boolean) => void {
    const clock = this.#clock;
    const sentMs = clock.nowMs();
    return (failed) => {
      const tookMs = clock.nowMs() - sentMs;
      record(this.#recorder, { type: "store_called", operation, tookMs, failed });
    };
  }
}

/** A store that throws instead of rejecting is away all the same. */
function promiseOf<R>(call: () => Promise<R>): Promise<R> {
  try {
    return call();
  } catch (error) {
    return Promise.reject(error);
  }
}
