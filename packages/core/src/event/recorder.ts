import type { SluiceEvent } from "./event";

/**
 * The port that receives events, for metrics and logs. A recorder observes: it cannot change a
 * verdict, and what it throws is dropped.
 */
export interface Recorder {
  record(event: SluiceEvent): void;
}

/** Hands an event to a recorder, if there is one. Never throws. */
export function record(recorder: Recorder | undefined, event: SluiceEvent): void {
  if (recorder === undefined) return;
  try {
    dropRejection(recorder.record(event));
  } catch {
    // An observer must not be able to turn a request into an error.
  }
}

/**
 * Keeps the promise of a callback that was written as an async function from ending the process
 * when it rejects, since nobody awaits it. Whether the value is one.
 */
export function dropRejection(returned: unknown): boolean {
  const then = (returned as PromiseLike<unknown> | null | undefined)?.then;
  if (typeof then !== "function") return false;
  then.call(returned, undefined, () => {});
  return true;
}
