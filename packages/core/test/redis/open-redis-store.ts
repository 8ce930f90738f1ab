import { fixedWindow } from "@sluice/core";
import { type RedisStore, type RedisStoreOptions, redisStore } from "@sluice/core/redis";
import { inject } from "vitest";
import { pollUntil } from "../../../../tools/redis/poll-until";
import { type ClientName, isClusterClient, makePatientClient } from "./patient-clients";

/** As many descriptors as reach every node of a cluster, most likely. */
const PROBES = Array.from({ length: 40 }, (_, index) => `probe-${index}`);

/** The ports of the server or cluster that the tests share, for a client of this name. */
export function sharedPorts(name: ClientName): readonly number[] {
  return isClusterClient(name) ? inject("redisClusterPorts") : [inject("redisPort")];
}

/** A store that answers already, on what the tests share; nothing is decided without it. */
export async function openRedisStore(
  name: ClientName,
  options: Omit<RedisStoreOptions, "connect"> & { readonly ports?: readonly number[] } = {},
): Promise<RedisStore> {
  const { ports = sharedPorts(name), ...others } = options;
  const connect = () => makePatientClient(name, ports);
  const store = redisStore({ connect, timeoutMs: 5_000, ...others });
  await whenAnswering(store);
  return store;
}

/** Waits until a store answers for every node. */
export async function whenAnswering(store: RedisStore): Promise<void> {
  const limits = [fixedWindow({ max: 1, windowMs: 1_000 })];
  const targets = PROBES.map((id) => ({ kind: "probe", id, limits }));
  const cost = { requests: 1, tokens: 0 };
  const answers = async () => (await store.peek({ type: "peek", cost, targets })).admitted;
  await pollUntil(answers, { what: "the store answers" });
}
