import {
  createLimiter,
  type Limit,
  type Limiter,
  type LimiterOptions,
  type MemoryStore,
  type SluiceEvent,
} from "@sluice/core";
import { FakeClock, seededRandom } from "@sluice/testing";
import { FaultyStore } from "./faulty-store";
import { openStore } from "./store-under-test";

/** One process of a fleet: its limiter, its way to the store, and what it reported. */
export interface FleetProcess {
  readonly limiter: Limiter;
  readonly faulty: FaultyStore;
  readonly events: SluiceEvent[];
}

/** Several processes that share one store, each over a connection of its own. */
export interface Fleet {
  readonly clock: FakeClock;
  readonly store: MemoryStore;
  readonly processes: readonly FleetProcess[];
  /** A limiter that always reaches the store, to look at it. */
  readonly onlooker: Limiter;
  readonly goAway: () => void;
  readonly recover: () => void;
  readonly close: () => Promise<void>;
}

/** What a fleet may be told besides its size. */
export interface FleetOptions extends Pick<LimiterOptions, "onStoreUnavailable" | "units"> {
  readonly instances?: number;
  readonly startMs?: number;
  /** How far the clock of the store is ahead of that of the processes. */
  readonly aheadMs?: number;
}

/** Sets up `size` processes, as many as their store says if nothing else is given. */
export function setFleet(size: number, options: FleetOptions = {}): Fleet {
  const { instances = size, startMs = 0, aheadMs = 0, ...settings } = options;
  const clock = new FakeClock({ startMs });
  const storeClock = {
    nowMs: () => clock.nowMs() + aheadMs,
    after: (delayMs: number, fn: () => void) => clock.after(delayMs, fn),
  };
  const store = openStore({ clock: storeClock, random: seededRandom(0) });
  const openProcess = (seed: number): FleetProcess => {
    const events: SluiceEvent[] = [];
    const recorder = { record: (event: SluiceEvent) => void events.push(event) };
    const random = seededRandom(seed);
    const faulty = new FaultyStore(() => store, instances);
    const limiter = createLimiter({ ...settings, store: faulty, clock, random, recorder });
    return { limiter, faulty, events };
  };
  const processes = Array.from({ length: size }, (_, index) => openProcess(index + 1));
  const onlooker = createLimiter({ ...settings, store, clock, random: seededRandom(99) });
  return {
    clock,
    store,
    processes,
    onlooker,
    goAway: () => processes.forEach(({ faulty }) => void faulty.goAway()),
    recover: () => processes.forEach(({ faulty }) => void faulty.recover()),
    close: async () => {
      for (const { limiter } of processes) await limiter.close();
    },
  };
}

/** What the shared store counts of each limit of one subject. */
export async function usedThere(
  fleet: Fleet,
  limits: readonly Limit[],
  id = "k",
): Promise<number[]> {
  const question = { descriptors: [{ kind: "key", id, limits }] };
  return (await fleet.onlooker.peek(question)).statuses.map(({ used }) => used);
}
