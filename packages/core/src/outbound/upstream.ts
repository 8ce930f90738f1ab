import type { AdaptiveLimit } from "../adaptive/adaptive-limit";
import type { Milliseconds } from "../limit/limit";
import type { Reason, Verdict } from "../verdict/verdict";
import type { OutboundPermit } from "./outbound-permit";
import type { UpstreamKey } from "./upstream-key";

/** What a caller may say about a call. */
export interface UpstreamEnterOptions {
  /** Aborting while queued leaves the queue at once (`aborted`); aborted before: not let in. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds the caller has left for the whole call; `Infinity`: no deadline. */
  readonly deadlineMs?: Milliseconds | undefined;
  /**
   * Which attempt of its call this is, from 1. From 2 on it needs the retry budget. @defaultValue 1
   */
  readonly attempt?: number | undefined;
  /** Whose counters the throttle looks at. @defaultValue the first of `throttle.criticalities` */
  readonly criticality?: string | undefined;
}

/** What the upstream said when it refused a call for its load. */
export interface UpstreamRefusal {
  /** What it asked to wait (Retry-After), 0 or more; absent if it did not say. */
  readonly retryAfterMs?: Milliseconds | undefined;
}

/** What a call holds while it runs: a slot of its upstream, and of the parent. */
export interface UpstreamPermit extends OutboundPermit {
  /** Milliseconds that the call waited for its slots. */
  readonly waitedMs: Milliseconds;
  /**
   * Notes that the upstream refused this call because it gets too much (429): the limit does not
   * grow for `holdGrowthMs`, and if it said how long to wait, all calls of this upstream are
   * refused with `paused` for so long. The permit is still to be ended, as `dropped`. Never throws.
   */
  refused(refusal?: UpstreamRefusal): void;
}

/** The answer of an upstream's control. Neither a permit nor a refusal carries limit statuses. */
export type UpstreamVerdict = Verdict<UpstreamPermit>;

/** The numbers of an upstream at one instant. */
export interface UpstreamStats {
  readonly key: UpstreamKey;
  /** The key as one text, as events have it. */
  readonly upstream: string;
  /** Calls that may run now. */
  readonly limit: number;
  /** Calls that hold a slot, those included that wait for a slot of the parent. */
  readonly inFlight: number;
  /** Calls that wait for a slot of this upstream. */
  readonly queued: number;
  /** Milliseconds until calls are made again; 0 if there is no pause. */
  readonly pausedForMs: Milliseconds;
  /** Calls let through, and refused by reason, since the upstream was made. */
  readonly admitted: number;
  readonly rejectedByReason: Readonly<Partial<Record<Reason, number>>>;
}

/** The door to one upstream. Made by `createUpstreams`. */
export interface Upstream {
  readonly key: UpstreamKey;
  /**
   * Lets a call through, now or after a wait for a slot, or refuses it. Then no call is made.
   *
   * Refused are, in this order: an `aborted` signal; any call during a pause (`paused`, with the
   * exact wait); a retry beyond the budget (`retry_budget_exhausted`); a call that the upstream
   * would refuse anyway (`throttled`); a call for which there is no slot of this upstream or of its
   * parent, with the reasons of a gate: `queue_full`, `queue_timeout`, `deadline_unreachable`,
   * `draining`. A pause that begins while a call waits refuses it when its turn comes.
   *
   * @throws InvalidOptionsError (as a rejected promise) on bad options.
   */
  enter(options?: UpstreamEnterOptions): Promise<UpstreamVerdict>;
  /**
   * Makes no call for `waitMs` from now, at most `pauseMaxMs`. It never shortens a pause.
   *
   * @throws InvalidOptionsError if `waitMs` is not a number of 0 or more.
   */
  pause(waitMs: Milliseconds): void;
  /** A snapshot. */
  stats(): UpstreamStats;
  /** The adaptive limit, to freeze it or to set it by hand; absent if the limit is a number. */
  readonly limit: AdaptiveLimit | undefined;
}

/** The upstreams of one process. Made by `createUpstreams`. */
export interface Upstreams {
  /**
   * The door to the upstream of a key; made at the first use. Equal keys have one state, also when
   * it was forgotten meanwhile and begins anew.
   *
   * @throws InvalidOptionsError on a bad key, or if `parentOf` or `maxInFlight` answers nonsense.
   */
  upstream(key: UpstreamKey): Upstream;
  /** How many upstreams are known. */
  readonly size: number;
  /** A snapshot of all of them, the least recently used first. */
  stats(): readonly UpstreamStats[];
  /** Refuses all calls from now on (`draining`); resolves when the last permit is back. */
  drain(): Promise<void>;
}
