import type { TestProject } from "vitest/node";
import { type RedisCluster, startCluster } from "./redis-cluster";
import { type RedisServer, startServer } from "./redis-server";

declare module "vitest" {
  export interface ProvidedContext {
    /** The single server that all tests of the project "redis" share. */
    readonly redisPort: number;
    /** The nodes of the cluster that they share. */
    readonly redisClusterPorts: readonly number[];
  }
}

let server: RedisServer | undefined;
let cluster: RedisCluster | undefined;

/**
 * Starts what the tests of the project "redis" share, once. Tests find the ports with
 * `inject("redisPort")` and `inject("redisClusterPorts")`; they use keys of their own, and whoever
 * breaks servers starts some for that.
 */
export async function setup({ provide }: TestProject): Promise<void> {
  [server, cluster] = await Promise.all([startServer(), startCluster()]);
  provide("redisPort", server.port);
  provide("redisClusterPorts", cluster.ports);
}

export async function teardown(): Promise<void> {
  await Promise.all([server?.stop(), cluster?.stop()]);
}
