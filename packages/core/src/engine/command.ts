import type { CheckLimit, ConcurrencyLimit, Milliseconds } from "../limit/limit";

/*
 * The closed list of commands. A store executes each of them in one atomic step per hash tag (in
 * one step at all where it can), by the pure transition of the same name in this folder.
 *
 * A command names its descriptors in `targets`; a transition takes their states in the same
 * order. `serial` is a fresh number for whatever the command opens (see state.ts).
 */

/** Which descriptor: its kind, and its id as one text (see descriptor/key.ts). */
export interface DescriptorKey {
  readonly kind: string;
  readonly id: string;
}

/** Units of a question: every declared unit is present. */
export type FullCost = Readonly<Record<string, number>>;

/** Judge every limit of every target and charge all or nothing. */
export interface AdmitCommand {
  readonly type: "admit";
  /**
   * Names the leases that are taken, and the record if `undoableForMs` is given. Empty if no slot
   * is asked for and nothing is to be undone.
   */
  readonly operationId: string;
  readonly serial: number;
  readonly cost: FullCost;
  readonly targets: readonly LimitsTarget[];
  /** Keep what was charged on record for this long, so that `undo` can take it back by id alone. */
  readonly undoableForMs?: Milliseconds;
}

/** A descriptor and the limits that a question asks of it. */
export interface LimitsTarget extends DescriptorKey {
  readonly limits: readonly CheckLimit[];
}

/** The verdict that `admit` would give. Writes nothing. */
export interface PeekCommand {
  readonly type: "peek";
  readonly cost: FullCost;
  readonly targets: readonly LimitsTarget[];
}

/** Correct what a permit charged to what it really cost, and free its slots. */
export interface SettleCommand {
  readonly type: "settle";
  readonly operationId: string;
  readonly serial: number;
  readonly targets: readonly SettleTarget[];
  /**
   * Apply this settlement once however often it arrives within this time: a record of
   * `operationId` is kept for so long. Absent for one that is sent at most once.
   */
  readonly onceForMs?: Milliseconds;
}

/** A descriptor and what is corrected in it. */
export interface SettleTarget extends DescriptorKey {
  readonly corrections: readonly Correction[];
}

/** One limit that a permit charged `charged` units and that really cost `actual`. */
export interface Correction {
  readonly limit: CheckLimit;
  readonly charged: number;
  readonly actual: number;
  /** From the reply to `admit`; `undefined` if nothing was charged. */
  readonly chargedAt: number | undefined;
  readonly serial: number;
}

/** Free the slots of a permit; its reservation stands. */
export interface ReleaseCommand {
  readonly type: "release";
  readonly operationId: string;
  readonly targets: readonly SlotsTarget[];
}

/** A descriptor and the limits whose slots are freed. */
export interface SlotsTarget extends DescriptorKey {
  readonly limits: readonly ConcurrencyLimit[];
}

/** Prolong leases, many permits in one command. */
export interface RenewCommand {
  readonly type: "renew";
  readonly serial: number;
  readonly targets: readonly RenewTarget[];
}

/** The leases of one descriptor; no two targets of a command have the same descriptor. */
export interface RenewTarget extends DescriptorKey {
  readonly leases: readonly LeaseToRenew[];
}

/** One lease, as its holder knows it. */
export interface LeaseToRenew {
  readonly limit: ConcurrencyLimit;
  readonly operationId: string;
  /** When the lease is over by what its holder was last told, in store time. */
  readonly expiresAtMs: Milliseconds;
}

/** Take back by id what an undoable `admit` charged, and refuse it if it has yet to arrive. */
export interface UndoCommand {
  readonly type: "undo";
  readonly operationId: string;
  readonly serial: number;
  /** The targets of the `admit`. */
  readonly targets: readonly LimitsTarget[];
  /** How long an `admit` of this id that has not arrived yet is refused. */
  readonly tombstoneMs: Milliseconds;
}

/** Forget the counters of descriptors; live leases stay. */
export interface ResetCommand {
  readonly type: "reset";
  readonly targets: readonly DescriptorKey[];
}
