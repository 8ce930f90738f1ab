import type { Gate } from "@sluice/core";
import type { NodeListener, NodeRequest, NodeResponse } from "./message";
import { requestsInProcess } from "./requests-in-process";

/** What the backlog endpoint says. */
export interface Backlog {
  /**
   * Requests of this process that have come through an adapter and whose responses have not ended,
   * exempt ones and the one that asks included.
   */
  readonly in_flight_requests: number;
  /** Those that hold a slot of the gate. */
  readonly admitted_requests: number;
  /** Those that wait for one. */
  readonly queued_requests: number;
  /** Those that the gate has refused since the start. */
  readonly rejected_requests: number;
}

/** The backlog of the moment. Never throws. */
export function backlogOf(gate: Gate): Backlog {
  const { inFlight, queued, rejected } = gate.stats();
  return {
    in_flight_requests: requestsInProcess(),
    admitted_requests: inFlight,
    queued_requests: queued,
    rejected_requests: rejected,
  };
}

/**
 * A listener that answers GET and HEAD with the {@link Backlog} of the moment as JSON, other
 * methods with 405. Mount it behind the gate, at a path that is exempt.
 *
 * @remarks After LiteLLM's backlog endpoint, with its names.
 */
export function backlogHandler(gate: Gate): NodeListener<NodeRequest, NodeResponse> {
  return (req, res) => {
    if (req.method !== "GET" && req.method !== "HEAD") {
      res.statusCode = 405;
      res.setHeader("allow", "GET, HEAD");
      res.end();
      return;
    }
    res.setHeader("content-type", "application/json");
    res.setHeader("cache-control", "no-store");
    res.end(req.method === "HEAD" ? "" : JSON.stringify(backlogOf(gate)));
  };
}
