import type {
  AdmitCommand,
  PeekCommand,
  ReleaseCommand,
  RenewCommand,
  ResetCommand,
  SettleCommand,
  UndoCommand,
} from "../engine/command";
import type { AdmitReply, DoneReply, PeekReply, RenewReply, UndoReply } from "../engine/reply";

/**
 * The port that executes commands atomically and owns "now". Each method does what the pure
 * transition of its name says; a store adds only where the state lives.
 *
 * Every method rejects with a StoreError, and only with that, when the command could not be
 * executed or its fate is unknown (`isRetryable` tells the two apart).
 */
export interface Store {
  /**
   * How many processes share the store: 1 to 1 000, 1 if absent. While the store is away each of
   * them admits one part in so many.
   */
  readonly instances?: number;
  admit(command: AdmitCommand): Promise<AdmitReply>;
  /**
   * The same at once, for a store in this process: spares every verdict a promise and a turn of the
   * microtask queue. Throws what `admit` would reject with.
   */
  admitNow?(command: AdmitCommand): AdmitReply;
  peek(command: PeekCommand): Promise<PeekReply>;
  settle(command: SettleCommand): Promise<DoneReply>;
  release(command: ReleaseCommand): Promise<DoneReply>;
  renew(command: RenewCommand): Promise<RenewReply>;
  undo(command: UndoCommand): Promise<UndoReply>;
  reset(command: ResetCommand): Promise<DoneReply>;
  /**
   * Gives up timers and connections. Idempotent; afterwards `admit` fails with SLUICE_STORE_CLOSED.
   */
  close(): Promise<void>;
}
