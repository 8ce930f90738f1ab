import { createLimiter, type Limiter, type LimiterOptions, type SluiceEvent } from "@sluice/core";
import type { RedisStore } from "@sluice/core/redis";
import { openRedisStore } from "../open-redis-store";
import type { ClientName } from "../patient-clients";

/** A limiter on a real server, and everything that it reported. */
export interface Evidence {
  readonly store: RedisStore;
  readonly limiter: Limiter;
  readonly events: SluiceEvent[];
  /** What the store failed with, as texts. */
  readonly failures: () => readonly string[];
  readonly countOf: (type: SluiceEvent["type"]) => number;
  readonly close: () => Promise<void>;
}

type Options = Pick<LimiterOptions, "onStoreUnavailable"> & {
  readonly prefix: string;
  readonly ports: readonly number[];
};

/** A limiter with a store and a client of its own. */
export async function openEvidence(
  client: ClientName,
  { onStoreUnavailable = "reject", prefix, ports }: Options,
): Promise<Evidence> {
  const events: SluiceEvent[] = [];
  const recorder = { record: (event: SluiceEvent) => void events.push(event) };
  const store = await openRedisStore(client, { prefix, ports });
  const limiter = createLimiter({ store, recorder, onStoreUnavailable });
  return {
    store,
    limiter,
    events,
    failures: () =>
      events.flatMap((event) => (event.type === "store_failed" ? [String(event.error)] : [])),
    countOf: (type) => events.filter((event) => event.type === type).length,
    close: async () => {
      await limiter.close();
      await store.close();
    },
  };
}
