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
    recorder.record(event);
  } catch {
    // An observer must not be able to turn a request into an error.
  }
}
