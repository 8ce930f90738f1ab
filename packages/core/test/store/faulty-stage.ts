import {
  createLimiter,
  type Limiter,
  type LimiterOptions,
  type MemoryStore,
  type SluiceEvent,
} from "@sluice/core";
import { FakeClock, seededRandom } from "@sluice/testing";
import { FaultyStore } from "./faulty-store";
import { openStore } from "./store-under-test";

/** One limiter before a store that fails on demand. */
export interface FaultyStage {
  readonly clock: FakeClock;
  readonly faulty: FaultyStore;
  /** The store behind the faulty one: the one in force is the last. */
  readonly stores: readonly MemoryStore[];
  readonly limiter: Limiter;
  /** Everything that was reported, oldest first. */
  readonly events: SluiceEvent[];
}

type Settings = Omit<LimiterOptions, "store" | "clock" | "random" | "recorder">;

/** Sets a stage with a clock, a faulty store on memory, and a limiter on it. */
export function setFaultyStage(
  settings: Settings & { readonly startMs?: number } = {},
): FaultyStage {
  const { startMs = 0, ...options } = settings;
  const clock = new FakeClock({ startMs });
  const random = seededRandom(1);
  const events: SluiceEvent[] = [];
  const recorder = { record: (event: SluiceEvent) => void events.push(event) };
  const stores: MemoryStore[] = [];
  const faulty = new FaultyStore(() => {
    const store = openStore({ clock, random, recorder });
    stores.push(store);
    return store;
  });
  const limiter = createLimiter({ ...options, store: faulty, clock, random, recorder });
  return { clock, faulty, stores, limiter, events };
}
