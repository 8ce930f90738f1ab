import type { Milliseconds } from "../limit/limit";
import type { Reason } from "../verdict/verdict";

/** A call to an upstream was refused in this process, and not made. */
export interface OutboundRejectedEvent {
  readonly type: "outbound_rejected";
  /** The name of the throttle, the budget or the upstreams. */
  readonly outbound: string;
  /** `throttled`, `retry_budget_exhausted`, `paused` or `aborted`. */
  readonly reason: Reason;
  /** The key of the upstream, as one text; absent for a throttle or a budget of its own. */
  readonly upstream?: string;
  /** Whose counters the throttle looked at. */
  readonly criticality?: string;
  readonly retryAfterMs?: Milliseconds;
}

/** An upstream asked for a pause (Retry-After); no call is made until it is over. */
export interface UpstreamPausedEvent {
  readonly type: "upstream_paused";
  readonly outbound: string;
  readonly upstream: string;
  readonly waitMs: Milliseconds;
}

/** The limit, the throttle and the pause of an idle upstream were forgotten: too many keys. */
export interface UpstreamForgottenEvent {
  readonly type: "upstream_forgotten";
  readonly outbound: string;
  readonly upstream: string;
}
