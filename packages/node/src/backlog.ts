import type { NodeListener, NodeRequest, NodeResponse } from "./message";

/** What the backlog endpoint says. */
export interface Backlog {
  readonly in_flight_requests: number;
  readonly admitted_requests: number;
  readonly queued_requests: number;
  readonly rejected_requests: number;
}

/** Answers GET and HEAD with the backlog of the moment as JSON, other methods with 405. */
export function backlogListener(read: () => Backlog): NodeListener<NodeRequest, NodeResponse> {
  return (req, res) => {
    if (req.method !== "GET" && req.method !== "HEAD") {
      res.statusCode = 405;
      res.setHeader("allow", "GET, HEAD");
      res.end();
      return;
    }
    res.setHeader("content-type", "application/json");
    res.setHeader("cache-control", "no-store");
    res.end(req.method === "HEAD" ? "" : JSON.stringify(read()));
  };
}
