import type { Descriptor } from "../descriptor/descriptor";
import type { Milliseconds } from "../limit/limit";
import type { LimitStatus, Reason, VerdictSource } from "../verdict/verdict";
import type { LimitChangedEvent, LimitUnstableEvent } from "./adaptive-event";
import type { LimiterWaitBeganEvent, LimiterWaitEndedEvent } from "./limiter-wait-event";
import type {
  OutboundRejectedEvent,
  UpstreamForgottenEvent,
  UpstreamPausedEvent,
} from "./outbound-event";

/** One question was answered by a limiter. */
export interface VerdictEvent {
  readonly type: "verdict";
  readonly admitted: boolean;
  readonly reason?: Reason;
  readonly statuses: readonly LimitStatus[];
  readonly source: VerdictSource;
}

/** A permit was closed: `settled` to its real cost, `released` as reserved, or `refunded`. */
export interface PermitClosedEvent {
  readonly type: "permit_closed";
  readonly permitId: string;
  readonly how: "settled" | "released" | "refunded";
}

/** A live permit's lease expired before it could be renewed; its slot may be another's by now. */
export interface LeaseLostEvent {
  readonly type: "lease_lost";
  readonly permitId: string;
  readonly descriptor: Descriptor;
  readonly limit: string;
}

/** The store had forgotten a lease that was not over; it was entered again. */
export interface LeaseAdoptedEvent {
  readonly type: "lease_adopted";
  readonly permitId: string;
  readonly descriptor: Descriptor;
  readonly limit: string;
}

/** A permit is held longer than its limit's `maxHoldMs`; its lease is not renewed any more. */
export interface PermitOverdueEvent {
  readonly type: "permit_overdue";
  readonly permitId: string;
  readonly descriptor: Descriptor;
  readonly limit: string;
  readonly heldMs: Milliseconds;
}

/** A limit met state of its name but of another kind, unit or window, and started fresh. */
export interface StateReplacedEvent {
  readonly type: "state_replaced";
  readonly key: string;
  readonly limit: string;
}

/** A full memory store dropped a live entry; that subject starts afresh. */
export interface KeyEvictedEvent {
  readonly type: "key_evicted";
  readonly key: string;
}

/**
 * A shared store was asked, and has answered or failed. One for each call: to be measured, not
 * logged. What a store in this process takes is no wait and is not told.
 */
export interface StoreCalledEvent {
  readonly type: "store_called";
  readonly operation: string;
  /** By the clock of this process, in whole milliseconds: over many calls the mean is right. */
  readonly tookMs: Milliseconds;
  readonly failed: boolean;
}

/** A command could not be executed by the store. One for each call: to be counted, not logged. */
export interface StoreFailedEvent {
  readonly type: "store_failed";
  readonly operation: string;
  readonly error: unknown;
}

/**
 * The store has stopped answering, and the policy answers in its place. Once per outage, however
 * many calls fail; for logs.
 */
export interface StoreUnavailableEvent {
  readonly type: "store_unavailable";
  readonly policy: "local" | "admit" | "reject";
  /** The call that failed first, and how. */
  readonly operation: string;
  readonly error: unknown;
}

/**
 * The store answers again, and has gone a second without a failure. Once per outage; for logs.
 */
export interface StoreRecoveredEvent {
  readonly type: "store_recovered";
  /** From the first failure to the first answer after the last one. */
  readonly downMs: Milliseconds;
  /** How many calls failed. */
  readonly failures: number;
}

/**
 * A node of a shared store has stopped answering and is not asked any more, except by probes; or it
 * answers again. Once per change; for logs.
 */
export interface StoreNodeEvent {
  readonly type: "store_node_lost" | "store_node_back";
  /** `host:port` on a cluster, else `server`. */
  readonly node: string;
}

/**
 * What this process admitted by itself while the store was away has been entered there. Once for
 * everything that there was to report.
 */
export interface LocalUseReportedEvent {
  readonly type: "local_use_reported";
  readonly descriptors: number;
  /** Sums over all of them; a refund that came after its report counts as negative. */
  readonly units: Readonly<Record<string, number>>;
}

/**
 * What this process admitted by itself of a descriptor is not going to be reported: too many were
 * waiting for the store to be back, or for ten minutes nobody could tell whether a report arrived.
 */
export interface LocalUseDroppedEvent {
  readonly type: "local_use_dropped";
  readonly key: string;
}

/** A gate let a request in, with its wait in the queue (0 if it did not wait). */
export interface GateAdmittedEvent {
  readonly type: "gate_admitted";
  readonly gate: string;
  /** The key of the upstream that it stands before, as one text; absent elsewhere. */
  readonly upstream?: string;
  /** Absent if the gate has no classes. */
  readonly class?: string;
  readonly waitedMs: Milliseconds;
  /** True if the gate let it in although it would have refused (shadow mode or enforce ratio). */
  readonly shadow: boolean;
}

/** A gate refused a request, or in shadow would have. */
export interface GateRejectedEvent {
  readonly type: "gate_rejected";
  readonly gate: string;
  /** The key of the upstream that it stands before, as one text; absent elsewhere. */
  readonly upstream?: string;
  /** Absent if the gate has no classes. */
  readonly class?: string;
  readonly reason: Reason;
  readonly waitedMs: Milliseconds;
  readonly inFlight: number;
  readonly queued: number;
  readonly shadow: boolean;
}

/** A request that a gate let in has ended. */
export interface GateEndedEvent {
  readonly type: "gate_ended";
  readonly gate: string;
  /** The key of the upstream that it stands before, as one text; absent elsewhere. */
  readonly upstream?: string;
  /** Absent if the gate has no classes. */
  readonly class?: string;
  readonly outcome: "success" | "dropped" | "ignored";
  readonly heldMs: Milliseconds;
  /** From its start to the first byte of its answer; absent if none was marked. */
  readonly firstByteMs?: Milliseconds;
}

/** Everything that the core reports. Closed: a new event is a new member here. */
export type SluiceEvent =
  | LimitChangedEvent
  | LimitUnstableEvent
  | VerdictEvent
  | PermitClosedEvent
  | LeaseLostEvent
  | LeaseAdoptedEvent
  | PermitOverdueEvent
  | StateReplacedEvent
  | KeyEvictedEvent
  | StoreCalledEvent
  | StoreFailedEvent
  | StoreUnavailableEvent
  | StoreRecoveredEvent
  | StoreNodeEvent
  | LocalUseReportedEvent
  | LocalUseDroppedEvent
  | GateAdmittedEvent
  | GateRejectedEvent
  | GateEndedEvent
  | LimiterWaitBeganEvent
  | LimiterWaitEndedEvent
  | OutboundRejectedEvent
  | UpstreamPausedEvent
  | UpstreamForgottenEvent;
