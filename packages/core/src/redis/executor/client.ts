// What is needed of a client, by structure: whoever uses one library needs not have the types of
// the other. Only public members stand here.

// biome-ignore lint/suspicious/noExplicitAny: the libraries type the listener of each event.
type Listener = (...args: any[]) => void;

/** What every client has. */
interface Connectable {
  on(event: string, listener: Listener): unknown;
  off(event: string, listener: Listener): unknown;
  connect(): Promise<unknown>;
}

/** A `Redis` of ioredis 5 or 6, behind Sentinel or not. */
export interface IoredisClient extends Connectable {
  readonly status: string;
  readonly options: object;
  evalsha(sha: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
  eval(source: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
  disconnect(): void;
  quit(): Promise<unknown>;
}

/** A node of a `Cluster` of ioredis. */
export interface IoredisNode {
  readonly status: string;
  readonly options: { readonly host?: string | undefined; readonly port?: number | undefined };
  on(event: string, listener: Listener): unknown;
  connect(): Promise<unknown>;
}

/** A `Cluster` of ioredis 5 or 6. */
export interface IoredisCluster extends IoredisClient {
  /** By hash slot the nodes that serve it, as `host:port`, its master first. */
  readonly slots: readonly (readonly string[])[];
  nodes(role: "master"): readonly IoredisNode[];
}

/** How node-redis takes the keys and arguments of a script. */
interface EvalOptions {
  keys?: string[];
  arguments?: string[];
}

/** What the clients of node-redis have in common. */
interface NodeRedis extends Connectable {
  readonly isOpen: boolean;
  evalSha(sha: string, options: EvalOptions): Promise<unknown>;
  eval(source: string, options: EvalOptions): Promise<unknown>;
  close(): Promise<unknown>;
  destroy(): unknown;
}

/** What `createClient` of node-redis 5 or 6 returns. */
export interface NodeRedisClient extends NodeRedis {
  readonly isReady: boolean;
  readonly options: object | undefined;
}

/** What `createSentinel` of node-redis 5 or 6 returns. */
export interface NodeRedisSentinel extends NodeRedis {
  readonly isReady: boolean;
  getMasterNode(): unknown;
}

/** What `createCluster` of node-redis 5 or 6 returns. */
export interface NodeRedisCluster extends NodeRedis {
  /** By hash slot the shard that serves it; empty places until the cluster is known. */
  readonly slots: readonly {
    readonly master: {
      readonly address: string;
      /** Absent until the node is first needed, with `minimizeConnections`. */
      readonly client?: { readonly isReady: boolean } | undefined;
    };
  }[];
  readonly masters: readonly { readonly address: string }[];
}

/** A client of ioredis. */
export type AnyIoredis = IoredisClient | IoredisCluster;

/** A client of node-redis, the npm package `redis`. */
export type AnyNodeRedis = NodeRedisClient | NodeRedisSentinel | NodeRedisCluster;

/**
 * A client of ioredis 5 or 6 or of node-redis (`redis`) 5 or 6, for one server, behind Sentinel or
 * for a cluster.
 */
export type RedisClient = AnyIoredis | AnyNodeRedis;

/** Whether it is a client of ioredis, by its public methods. Never throws. */
export function isIoredis(client: unknown): client is AnyIoredis {
  return hasMethods(client, ["evalsha", "eval", "on", "off", "connect", "disconnect", "quit"]);
}

/** Whether it is a client of node-redis, by its public methods. Never throws. */
export function isNodeRedis(client: unknown): client is AnyNodeRedis {
  return hasMethods(client, ["evalSha", "eval", "on", "off", "connect", "close", "destroy"]);
}

export function isIoredisCluster(client: AnyIoredis): client is IoredisCluster {
  return hasMethods(client, ["nodes"]) && "slots" in client;
}

export function isNodeRedisCluster(client: AnyNodeRedis): client is NodeRedisCluster {
  return "slots" in client && "masters" in client;
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === "function");
}
