import type { RedisClient } from "./client";
import type { Executor } from "./executor";

/** What a client tells besides its replies. Neither may throw. */
export interface ClientEvents {
  /** The client reported an error outside of a call: a lost connection, a failed reconnect. */
  readonly onError: (error: unknown) => void;
  /** A connection to the node is there, for the first time or again. */
  readonly onReady: (node: string) => void;
}

/** An executor on one client, and what is needed to replace that client by another one. */
export interface ClientExecutor extends Executor {
  readonly client: RedisClient;
  /** Whether the client can send calls now, as far as it tells. */
  isReady(): boolean;
  /** Whether the client has given up for good and connects no more. */
  isOver(): boolean;
  /** Whether a node in trouble may need another client: some do not recover by themselves. */
  mayNeedReplacement(): boolean;
  /** The nodes that it has connections to, as {@link Executor.nodeOf} names them. Never throws. */
  readyNodes(): readonly string[];
  /** Connects a client that is not connected and does not connect by itself. Never throws. */
  open(): void;
  /** Drops the connections at once; calls under way fail. Idempotent. Never throws. */
  destroy(): void;
  /** Stops reporting events. */
  mute(): void;
}
