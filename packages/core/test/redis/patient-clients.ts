import { Cluster, Redis } from "ioredis";
import { Cluster as Cluster5, Redis as Redis5 } from "ioredis-5";
import { createClient, createCluster } from "redis";
import { createClient as createClient5, createCluster as createCluster5 } from "redis-5";
import type { RedisClient } from "../../src/redis/executor/client";

/** The clients of each library, version and topology, by names that can be sent to a process. */
export type ClientName = `${"ioredis" | "redis"} ${5 | 6}, ${"single" | "cluster"}`;

const host = "127.0.0.1";

/** Longer than a busy machine keeps a process from running. */
const PATIENCE_MS = 5_000;

const connection = {
  commandTimeout: PATIENCE_MS,
  socketTimeout: PATIENCE_MS,
  keepAlive: PATIENCE_MS,
};
const forIoredis = { ...connection, enableOfflineQueue: false, maxRetriesPerRequest: 0 };
const forIoredisCluster = {
  enableOfflineQueue: false,
  retryDelayOnFailover: 0,
  slotsRefreshInterval: PATIENCE_MS,
  redisOptions: connection,
};
const forNodesOfNodeRedis = { disableOfflineQueue: true, commandsQueueMaxLength: 10_000 };
const commandOptions = { timeout: undefined };

const nodesOf = (ports: readonly number[]) => ports.map((port) => ({ host, port }));
const portOf = (ports: readonly number[]) => ports[0] ?? 0;
// Their types with exact options refuse `timeout: undefined`, which they recommend.
const clientOf = (ports: readonly number[]): object => ({
  ...forNodesOfNodeRedis,
  commandOptions,
  socket: { host, port: portOf(ports) },
});
const clusterOf = (ports: readonly number[]) =>
  ({
    rootNodes: ports.map((port) => ({ socket: { host, port } })),
    commandOptions,
    defaults: forNodesOfNodeRedis,
  }) as object as { readonly rootNodes: [] };

const makers: Readonly<Record<ClientName, (ports: readonly number[]) => RedisClient>> = {
  "ioredis 5, single": (ports) => new Redis5(portOf(ports), host, forIoredis),
  "ioredis 6, single": (ports) => new Redis(portOf(ports), host, forIoredis),
  "redis 5, single": (ports) => createClient5(clientOf(ports)),
  "redis 6, single": (ports) => createClient(clientOf(ports)),
  "ioredis 5, cluster": (ports) => new Cluster5(nodesOf(ports), forIoredisCluster),
  "ioredis 6, cluster": (ports) => new Cluster(nodesOf(ports), forIoredisCluster),
  "redis 5, cluster": (ports) => createCluster5(clusterOf(ports)),
  "redis 6, cluster": (ports) => createCluster(clusterOf(ports)),
};

/** All of them. */
export const clientNames = Object.keys(makers) as readonly ClientName[];

/** Whether it is a client of a cluster; the others are of one server. */
export function isClusterClient(name: ClientName): boolean {
  return name.endsWith("cluster");
}

/** A client that nobody has connected yet, and that a stalled process does not give up. */
export function makePatientClient(name: ClientName, ports: readonly number[]): RedisClient {
  return makers[name](ports);
}
