import type { Store } from "../../store/store";
import type { LimiterConfig } from "../limiter-options";
import { FallbackStore } from "./fallback-store";
import { Outage } from "./outage";
import { WatchedStore } from "./watched-store";

/**
 * The store of a limiter together with what its policy needs while the store is away. A store in
 * this process stays as it is: it cannot be away.
 *
 * Closing what this returns leaves a shared store open.
 */
export function guardedStore(config: LimiterConfig, nextSerial: () => number): Store {
  const { store, clock, random, recorder, instances, onStoreUnavailable } = config;
  if (store.admitNow !== undefined) return store;
  const watched = new WatchedStore(
    store,
    new Outage(clock, recorder, onStoreUnavailable),
    clock,
    recorder,
  );
  if (onStoreUnavailable !== "local") return watched;
  return new FallbackStore({ store: watched, instances, clock, random, recorder, nextSerial });
}
