import { type RedisStore, type RedisStoreOptions, redisStore } from "@sluice/core/redis";
import { inject } from "vitest";
import { type ClientName, isClusterClient, makePatientClient } from "./patient-clients";
import { whenAnswering } from "./when-answering";

/** The ports of the server or cluster that the tests share, for a client of this name. */
export function sharedPorts(name: ClientName): readonly number[] {
  return isClusterClient(name) ? inject("redisClusterPorts") : [inject("redisPort")];
}

/** A store that answers already, by default on what the tests share. */
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
