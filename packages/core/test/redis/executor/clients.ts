import { Cluster, Redis } from "ioredis";
import { Cluster as Cluster5, Redis as Redis5 } from "ioredis-5";
import { createClient, createCluster } from "redis";
import { createClient as createClient5, createCluster as createCluster5 } from "redis-5";
import type { RedisClient } from "../../../src/redis/executor/client";

/** Makes a client that nobody has connected yet. */
export interface ClientKind {
  readonly name: string;
  readonly make: (ports: readonly number[]) => RedisClient;
}

const host = "127.0.0.1";

/** The options that `checkClient` finds nothing wrong with. */
const forIoredis = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: 200,
  socketTimeout: 1_000,
  keepAlive: 5_000,
  retryStrategy: (times: number) => Math.min(times * 50, 1_000),
};

const forIoredisCluster = {
  enableOfflineQueue: false,
  retryDelayOnFailover: 0,
  slotsRefreshInterval: 2_000,
  redisOptions: { commandTimeout: 200, socketTimeout: 1_000, keepAlive: 5_000 },
};

const forNodeRedis = {
  disableOfflineQueue: true,
  commandsQueueMaxLength: 10_000,
  commandOptions: { timeout: undefined },
};

const reconnectStrategy = (times: number) => Math.min(times * 50, 1_000);

const socketOf = (port: number) => ({ host, port, reconnectStrategy });
const nodesOf = (ports: readonly number[]) => ports.map((port) => ({ host, port }));
// `timeout: undefined` is what they recommend, and what their types with exact options refuse.
const rootsOf = (ports: readonly number[]): object => ({
  rootNodes: ports.map((port) => ({ socket: { host, port } })),
  defaults: { ...forNodeRedis, socket: { reconnectStrategy } },
});
interface RootNodes {
  readonly rootNodes: [];
}
const portOf = (ports: readonly number[]) => ports[0] ?? 0;

/** Clients of one server. */
export const singleClients: readonly ClientKind[] = [
  { name: "ioredis 5", make: (ports) => new Redis5(portOf(ports), host, forIoredis) },
  { name: "ioredis 6", make: (ports) => new Redis(portOf(ports), host, forIoredis) },
  {
    name: "redis 5",
    make: (ports) => createClient5({ ...forNodeRedis, socket: socketOf(portOf(ports)) } as object),
  },
  {
    name: "redis 6",
    make: (ports) => createClient({ ...forNodeRedis, socket: socketOf(portOf(ports)) } as object),
  },
];

/** Clients of a cluster. */
export const clusterClients: readonly ClientKind[] = [
  { name: "ioredis 5", make: (ports) => new Cluster5(nodesOf(ports), forIoredisCluster) },
  { name: "ioredis 6", make: (ports) => new Cluster(nodesOf(ports), forIoredisCluster) },
  { name: "redis 5", make: (ports) => createCluster5(rootsOf(ports) as RootNodes) },
  { name: "redis 6", make: (ports) => createCluster(rootsOf(ports) as RootNodes) },
];
