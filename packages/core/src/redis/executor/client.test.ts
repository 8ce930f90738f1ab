import { Cluster, Redis } from "ioredis";
import { Cluster as Cluster5, Redis as Redis5 } from "ioredis-5";
import { createClient, createCluster, createSentinel } from "redis";
import {
  createClient as createClient5,
  createCluster as createCluster5,
  createSentinel as createSentinel5,
} from "redis-5";
import { describe, expect, it } from "vitest";
import {
  isIoredis,
  isIoredisCluster,
  isNodeRedis,
  isNodeRedisCluster,
  type RedisClient,
} from "./client";

interface Row {
  readonly name: string;
  /** That these are assignable is half of what this file tests. */
  readonly client: RedisClient;
  readonly library: "ioredis" | "node-redis";
  readonly isCluster: boolean;
}

const start = [{ host: "127.0.0.1", port: 1 }];
const sentinel = { name: "main", sentinelRootNodes: start };
const cluster = { rootNodes: [{ url: "redis://127.0.0.1:1" }] };
const lazy = { lazyConnect: true };

/** Clients that connect to nothing, because nobody tells them to. */
const rows: readonly Row[] = [
  { name: "Redis of ioredis 5", client: new Redis5(lazy), library: "ioredis", isCluster: false },
  { name: "Redis of ioredis 6", client: new Redis(lazy), library: "ioredis", isCluster: false },
  {
    name: "Redis of ioredis 6 behind Sentinel",
    client: new Redis({ ...lazy, sentinels: start, name: "main" }),
    library: "ioredis",
    isCluster: false,
  },
  {
    name: "Cluster of ioredis 5",
    client: new Cluster5(start, lazy),
    library: "ioredis",
    isCluster: true,
  },
  {
    name: "Cluster of ioredis 6",
    client: new Cluster(start, lazy),
    library: "ioredis",
    isCluster: true,
  },
  {
    name: "createClient of redis 5",
    client: createClient5(),
    library: "node-redis",
    isCluster: false,
  },
  {
    name: "createClient of redis 6",
    client: createClient(),
    library: "node-redis",
    isCluster: false,
  },
  {
    name: "createSentinel of redis 5",
    client: createSentinel5(sentinel),
    library: "node-redis",
    isCluster: false,
  },
  {
    name: "createSentinel of redis 6",
    client: createSentinel(sentinel),
    library: "node-redis",
    isCluster: false,
  },
  {
    name: "createCluster of redis 5",
    client: createCluster5(cluster),
    library: "node-redis",
    isCluster: true,
  },
  {
    name: "createCluster of redis 6",
    client: createCluster(cluster),
    library: "node-redis",
    isCluster: true,
  },
];

describe("A client is told apart by its public members", () => {
  it.each(rows)("$name", ({ client, library, isCluster }) => {
    expect([isIoredis(client), isNodeRedis(client)]).toEqual(
      library === "ioredis" ? [true, false] : [false, true],
    );
    if (isIoredis(client)) expect(isIoredisCluster(client)).toBe(isCluster);
    if (isNodeRedis(client)) expect(isNodeRedisCluster(client)).toBe(isCluster);
  });

  it.each([undefined, null, 5, "redis", {}, () => {}, { evalsha: 1 }, new Map()])(
    "%s is none",
    (value) => {
      expect([isIoredis(value), isNodeRedis(value)]).toEqual([false, false]);
    },
  );
});
