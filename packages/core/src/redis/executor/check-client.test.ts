import { Cluster, Redis } from "ioredis";
import { Cluster as Cluster5, Redis as Redis5 } from "ioredis-5";
import { createClient, createCluster, createSentinel } from "redis";
import { createClient as createClient5 } from "redis-5";
import { describe, expect, it } from "vitest";
import { checkClient } from "./check-client";
import type { RedisClient } from "./client";

const start = [{ host: "127.0.0.1", port: 1 }];
const timeouts = { commandTimeout: 1_000, socketTimeout: 1_000, keepAlive: 5_000 };
const good = { lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 0, ...timeouts };
const goodCluster = {
  lazyConnect: true,
  enableOfflineQueue: false,
  retryDelayOnFailover: 0,
  slotsRefreshInterval: 2_000,
  redisOptions: timeouts,
};
// As an object, because their types with exact options refuse `timeout: undefined`.
const goodNodeRedis: object = {
  disableOfflineQueue: true,
  commandsQueueMaxLength: 10_000,
  commandOptions: { timeout: undefined },
};

const optionsFoundIn = (client: RedisClient) => checkClient(client).map(({ option }) => option);

describe("checkClient", () => {
  it.each([
    { name: "ioredis 5", client: new Redis5(good) },
    { name: "ioredis 6", client: new Redis(good) },
    {
      name: "ioredis 6 behind Sentinel",
      client: new Redis({ ...good, sentinels: start, name: "main", failoverDetector: true }),
    },
    { name: "a cluster of ioredis 5", client: new Cluster5(start, goodCluster) },
    { name: "a cluster of ioredis 6", client: new Cluster(start, goodCluster) },
    { name: "redis 5", client: createClient5(goodNodeRedis) },
    { name: "redis 6", client: createClient(goodNodeRedis) },
  ])("finds nothing wrong with $name as it is recommended", ({ client }) => {
    expect(checkClient(client)).toEqual([]);
  });

  it("names what is dangerous in the defaults of ioredis", () => {
    const expected = [
      "enableOfflineQueue",
      "maxRetriesPerRequest",
      "commandTimeout",
      "socketTimeout",
    ];
    const lazy = { lazyConnect: true };
    expect(optionsFoundIn(new Redis5(lazy))).toEqual([...expected, "keepAlive"]);
    expect(optionsFoundIn(new Redis(lazy))).toEqual(expected);
  });

  it("names what is dangerous in the defaults of a cluster of ioredis", () => {
    expect(optionsFoundIn(new Cluster(start, { lazyConnect: true }))).toEqual([
      "enableOfflineQueue",
      "retryDelayOnFailover",
      "slotsRefreshInterval",
      "redisOptions.commandTimeout",
      "redisOptions.socketTimeout",
      "redisOptions.keepAlive",
    ]);
  });

  it("names what is dangerous in the defaults of redis", () => {
    const expected = ["disableOfflineQueue", "commandsQueueMaxLength", "commandOptions.timeout"];
    expect(optionsFoundIn(createClient5())).toEqual(expected);
    expect(optionsFoundIn(createClient())).toEqual(expected);
  });

  it("tells the value found, what is better and why", () => {
    const [warning] = checkClient(new Redis({ ...good, maxRetriesPerRequest: 1 }));
    expect(warning).toMatchObject({ option: "maxRetriesPerRequest", found: "1", recommended: "0" });
    expect(warning?.why).toContain("charges twice");
  });

  it.each([
    { option: "failoverDetector", with: { sentinels: start, name: "main" } },
    { option: "reconnectOnError", with: { reconnectOnError: () => 2 as const } },
    { option: "enableAutoPipelining", with: { enableAutoPipelining: true } },
    { option: "autoResendUnfulfilledCommands", with: { autoResendUnfulfilledCommands: false } },
    { option: "keyPrefix", with: { keyPrefix: "app:" } },
  ])("names $option", ({ option, with: more }) => {
    expect(optionsFoundIn(new Redis({ ...good, ...more }))).toEqual([option]);
  });

  it.each([
    { option: "socket.socketTimeout", with: { socket: { socketTimeout: 1_000 } } },
    { option: "socket.reconnectStrategy", with: { socket: { reconnectStrategy: false } } },
    { option: "keyPrefix", with: { keyPrefix: "app:" } },
    { option: "commandOptions.timeout", with: { commandOptions: { timeout: 100 } } },
  ])("names $option of redis", ({ option, with: more }) => {
    const options: object = { ...goodNodeRedis, ...more };
    expect(optionsFoundIn(createClient(options))).toEqual([option]);
  });

  it("says that a cluster and a sentinel of redis do not show their options", () => {
    const sentinel = createSentinel({ name: "main", sentinelRootNodes: start });
    const cluster = createCluster({ rootNodes: [{ url: "redis://127.0.0.1:1" }] });
    for (const client of [sentinel, cluster]) {
      const found = checkClient(client).map((warning) => warning.found);
      expect(found.length).toBeGreaterThan(0);
      expect(new Set(found)).toEqual(new Set(["not shown"]));
    }
    expect(optionsFoundIn(sentinel)).toContain("maxCommandRediscovers");
  });

  it("does not throw for what is no client", () => {
    for (const value of [undefined, null, 5, {}, []]) {
      expect(checkClient(value as unknown as RedisClient)).toEqual([]);
    }
  });
});
