import type { Clock } from "../../clock/clock";
import type { Random } from "../../random/random";
import type { RedisClient } from "./client";
import type { ClientEvents } from "./client-executor";

/** What a {@link ManagedClient} needs. Its `onError` hears of `connect`, too. */
export interface ManagedClientOptions extends ClientEvents {
  /**
   * Returns the client, or a promise of it: a new one, connected or not, or an existing one. Called
   * once at first, again when it threw or rejected, and again whenever the client has to be
   * replaced, which is possible only if it returns another one then.
   */
  readonly connect: () => RedisClient | Promise<RedisClient>;
  /**
   * Whether the clients that `connect` returned are closed with the store, and when they have been
   * replaced. False for a client that others use, too.
   */
  readonly closesClient: boolean;
  readonly clock: Clock;
  readonly random: Random;
}
