import { Cluster, Redis } from "ioredis";
import { Cluster as Cluster5, Redis as Redis5 } from "ioredis-5";
import { createClient, createCluster, createSentinel } from "redis";
import {
  createClient as createClient5,
  createCluster as createCluster5,
  createSentinel as createSentinel5,
} from "redis-5";
import type { RedisClient } from "../../../src/redis/executor/client";
import {
  type ClientKind,
  forIoredisCluster,
  rootsOf as recommendedRootsOf,
  type SentinelKind,
} from "../executor/clients";

const host = "127.0.0.1";

/** Whether it is the newest major version of its library. */
export const isNewest = ({ name }: { readonly name: string }) => name.endsWith(" 6");

/** All of them. */
export const isAny = () => true;

/** Where one client says it all. */
export const isIoredis6 = ({ name }: { readonly name: string }) => name === "ioredis 6";

const portOf = (ports: readonly number[]) => ports[0] ?? 0;
const nodesOf = (ports: readonly number[]) => ports.map((port) => ({ host, port }));
const rootsOf = (ports: readonly number[]) => ({
  rootNodes: ports.map((port) => ({ socket: { host, port } })),
});

/** Clients as their libraries make them when only an address is given. */
export const defaultSingleClients: readonly ClientKind[] = [
  { name: "ioredis 5", make: (ports) => new Redis5(portOf(ports), host) },
  { name: "ioredis 6", make: (ports) => new Redis(portOf(ports), host) },
  { name: "redis 5", make: (ports) => createClient5({ socket: { host, port: portOf(ports) } }) },
  { name: "redis 6", make: (ports) => createClient({ socket: { host, port: portOf(ports) } }) },
];

export const defaultClusterClients: readonly ClientKind[] = [
  { name: "ioredis 5", make: (ports) => new Cluster5(nodesOf(ports)) },
  { name: "ioredis 6", make: (ports) => new Cluster(nodesOf(ports)) },
  { name: "redis 5", make: (ports) => createCluster5(rootsOf(ports)) },
  { name: "redis 6", make: (ports) => createCluster(rootsOf(ports)) },
];

export const defaultSentinelClients: readonly SentinelKind[] = [
  {
    name: "ioredis 5",
    make: (name, ports) => new Redis5({ name, sentinels: nodesOf(ports) }),
  },
  {
    name: "ioredis 6",
    make: (name, ports) => new Redis({ name, sentinels: nodesOf(ports) }),
  },
  {
    name: "redis 5",
    make: (name, ports) => createSentinel5({ name, sentinelRootNodes: nodesOf(ports) }),
  },
  {
    name: "redis 6",
    make: (name, ports) => createSentinel({ name, sentinelRootNodes: nodesOf(ports) }),
  },
];

/** All clients, each with both versions of the protocol. */
export const protocolClients: readonly ClientKind[] = ([2, 3] as const).flatMap((version) => [
  {
    name: `ioredis 5 (2)`,
    make: (ports: readonly number[]) => new Redis5(portOf(ports), host),
  },
  {
    name: `ioredis 6 (${version})`,
    make: (ports: readonly number[]) => new Redis(portOf(ports), host, { protocol: version }),
  },
  {
    name: `redis 5 (${version})`,
    make: (ports: readonly number[]) =>
      createClient5({ socket: { host, port: portOf(ports) }, RESP: version }) as RedisClient,
  },
  {
    name: `redis 6 (${version})`,
    make: (ports: readonly number[]) =>
      createClient({ socket: { host, port: portOf(ports) }, RESP: version }) as RedisClient,
  },
]);

/** Where the client has to look for a node that says it is elsewhere. */
export type NodeAddresses = Readonly<Record<string, { host: string; port: number }>>;

interface RootNodes {
  readonly rootNodes: [];
}

/** Clients of a cluster, with the recommended options, that reach its nodes through proxies. */
export function proxiedClusterClients(nat: NodeAddresses): readonly ClientKind[] {
  const withNat = { ...forIoredisCluster, natMap: nat };
  const rootsWithNat = (ports: readonly number[]) =>
    ({ ...recommendedRootsOf(ports), nodeAddressMap: nat }) as object as RootNodes;
  return [
    { name: "ioredis 5", make: (ports) => new Cluster5(nodesOf(ports), withNat) },
    { name: "ioredis 6", make: (ports) => new Cluster(nodesOf(ports), withNat) },
    { name: "redis 5", make: (ports) => createCluster5(rootsWithNat(ports)) },
    { name: "redis 6", make: (ports) => createCluster(rootsWithNat(ports)) },
  ];
}
