import { Cluster, Redis } from "ioredis";
import { Cluster as Cluster5, Redis as Redis5 } from "ioredis-5";
import { createClient, createCluster, createSentinel } from "redis";
import {
  createClient as createClient5,
  createCluster as createCluster5,
  createSentinel as createSentinel5,
} from "redis-5";
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
  commandTimeout: 1_000,
  socketTimeout: 1_000,
  keepAlive: 5_000,
  retryStrategy: (times: number) => Math.min(times * 50, 1_000),
};

export const forIoredisCluster = {
  enableOfflineQueue: false,
  retryDelayOnFailover: 0,
  slotsRefreshInterval: 2_000,
  redisOptions: { commandTimeout: 1_000, socketTimeout: 1_000, keepAlive: 5_000 },
};

const forNodesOfNodeRedis = { disableOfflineQueue: true, commandsQueueMaxLength: 10_000 };
const forNodeRedis = { ...forNodesOfNodeRedis, commandOptions: { timeout: undefined } };

const reconnectStrategy = (times: number) => Math.min(times * 50, 1_000);

const socketOf = (port: number) => ({ host, port, reconnectStrategy });
const nodesOf = (ports: readonly number[]) => ports.map((port) => ({ host, port }));
// `timeout: undefined` is what they recommend, and what their types with exact options refuse.
export const rootsOf = (ports: readonly number[]): object => ({
  rootNodes: ports.map((port) => ({ socket: { host, port } })),
  // Of the cluster: among the defaults of its nodes they have no effect.
  commandOptions: forNodeRedis.commandOptions,
  defaults: { ...forNodesOfNodeRedis, socket: { reconnectStrategy } },
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

/** `by` replaces the address of a server by another one, for a proxy in front of it. */
export interface SentinelKind {
  readonly name: string;
  readonly make: (
    name: string,
    ports: readonly number[],
    by?: { readonly from: number; readonly to: number },
  ) => RedisClient;
}

const sentinelsOf = (name: string, ports: readonly number[]) => ({
  ...forIoredis,
  name,
  sentinels: nodesOf(ports),
  failoverDetector: true,
});

const sentinelOf = (...[name, ports, by]: Parameters<SentinelKind["make"]>) => ({
  name,
  sentinelRootNodes: nodesOf(ports),
  maxCommandRediscovers: 0,
  commandOptions: forNodeRedis.commandOptions as object,
  nodeClientOptions: { ...forNodesOfNodeRedis, socket: { reconnectStrategy } },
  nodeAddressMap: by === undefined ? {} : { [`${host}:${by.from}`]: { host, port: by.to } },
});

const natOf = (by?: { readonly from: number; readonly to: number }) =>
  by === undefined ? {} : { natMap: { [`${host}:${by.from}`]: { host, port: by.to } } };

/** Clients behind Sentinel. */
export const sentinelClients: readonly SentinelKind[] = [
  {
    name: "ioredis 5",
    make: (name, ports, by) => new Redis5({ ...sentinelsOf(name, ports), ...natOf(by) }),
  },
  {
    name: "ioredis 6",
    make: (name, ports, by) => new Redis({ ...sentinelsOf(name, ports), ...natOf(by) }),
  },
  { name: "redis 5", make: (...args) => createSentinel5(sentinelOf(...args)) },
  { name: "redis 6", make: (...args) => createSentinel(sentinelOf(...args)) },
];
