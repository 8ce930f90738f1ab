import type { SluiceEvent } from "../event/event";
import type { Recorder } from "../event/recorder";

/**
 * Says in each event which upstream it is about: the gates and limits of all keys share a name, and
 * whoever watches them has to know which of them is full.
 */
export function upstreamRecorder(recorder: Recorder, upstream: string): Recorder {
  return { record: (event) => recorder.record({ ...event, upstream } as SluiceEvent) };
}
