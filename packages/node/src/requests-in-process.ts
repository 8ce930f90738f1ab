import type { NodeRequest } from "./message";

/** Requests that are counted, so that one which comes through two adapters counts once. */
const counted = new WeakSet<NodeRequest>();

let inFlight = 0;

/** Requests of this process that have come through an adapter and whose responses have not ended. */
export function requestsInProcess(): number {
  return inFlight;
}

/**
 * Counts a request as one of this process, until the returned function is called. A request that is
 * counted already is not counted again.
 */
export function countRequest(req: NodeRequest): () => void {
  if (counted.has(req)) return nothing;
  counted.add(req);
  inFlight += 1;
  return uncount;
}

function uncount(): void {
  inFlight -= 1;
}

function nothing(): void {}
