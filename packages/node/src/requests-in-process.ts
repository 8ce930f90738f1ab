import type { NodeRequest } from "./message";

// On a request that is counted, so that one which comes through two adapters counts once. A WeakSet
// would cost each request as much as all of the gate's other work.
const key = Symbol("sluice.counted");

interface Countable {
  [key]?: true;
}

let inFlight = 0;

/**
 * Requests of this process that have come through an adapter and whose responses have not ended.
 */
export function requestsInProcess(): number {
  return inFlight;
}

/**
 * Counts a request as one of this process, until the returned function is called. A request that is
 * counted already is not counted again.
 */
export function countRequest(req: NodeRequest): () => void {
  const countable = req as Countable;
  if (countable[key]) return nothing;
  countable[key] = true;
  inFlight += 1;
  return uncount;
}

function uncount(): void {
  inFlight -= 1;
}

function nothing(): void {}
