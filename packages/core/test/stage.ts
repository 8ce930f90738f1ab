import { createLimiter, type Limiter, type MemoryStore, type SluiceEvent } from "@sluice/core";
import { FakeClock, seededRandom } from "@sluice/testing";
import { openStore } from "./store/store-under-test";

/** Both kinds of beginning: instant 0 finds "0 is unset", a realistic one finds small numbers. */
export const startsMs = [0, 1_764_000_000_123] as const;

/**
 * One process with one limiter on a store, in memory unless the file says otherwise, on a clock
 * that a test moves.
 */
export interface Stage {
  readonly clock: FakeClock;
  readonly store: MemoryStore;
  readonly limiter: Limiter;
  /** Everything that limiter and store have reported, oldest first. */
  readonly events: SluiceEvent[];
  /** One more process on the same clock, and on the same store if no other is given. */
  readonly openProcess: (on?: MemoryStore) => Limiter;
  /** One more process on the same store, whose own time stands still until a test moves it. */
  readonly openPausingProcess: () => { readonly limiter: Limiter; readonly clock: FakeClock };
}

export interface StageOptions {
  readonly startMs?: number;
  readonly seed?: number;
  readonly maxKeys?: number;
}

/** Sets a stage: a clock, a store, and a limiter on both. */
export function setStage({ startMs = 0, seed = 1, maxKeys }: StageOptions = {}): Stage {
  const clock = new FakeClock({ startMs });
  const random = seededRandom(seed);
  const events: SluiceEvent[] = [];
  const recorder = { record: (event: SluiceEvent) => void events.push(event) };
  const bound = maxKeys === undefined ? {} : { maxKeys };
  const store = openStore({ clock, random, recorder, ...bound });
  const openProcess = (on: MemoryStore = store) =>
    createLimiter({ store: on, clock, random, recorder });
  const openPausingProcess = () => {
    const own = new FakeClock({ startMs });
    return { limiter: createLimiter({ store, clock: own, random, recorder }), clock: own };
  };
  return { clock, store, limiter: openProcess(), events, openProcess, openPausingProcess };
}

/** The events of one type, oldest first. */
export function eventsOf<T extends SluiceEvent["type"]>(stage: Pick<Stage, "events">, type: T) {
  return stage.events.filter((event): event is Extract<SluiceEvent, { type: T }> => {
    return event.type === type;
  });
}
