import {
  type AnyIoredis,
  type AnyNodeRedis,
  isIoredis,
  isIoredisCluster,
  isNodeRedis,
  isNodeRedisCluster,
  type NodeRedisClient,
  type RedisClient,
} from "./client";
import {
  ioredisClusterRules,
  ioredisFixedRules,
  ioredisRules,
  ioredisSentinelRules,
} from "./ioredis-rules";
import { nodeRedisClusterRules, nodeRedisRules, nodeRedisSentinelRules } from "./node-redis-rules";
import { type ClientWarning, warningsOf } from "./option-rule";

/**
 * Names the options of a client by which limits may become inexact or calls may wait without a
 * bound, with what is recommended instead. What a client does not show is named, too, with `not
 * shown`: clusters and sentinels of node-redis do not show their options. Changes nothing, connects
 * to nothing, never throws; for what is no client the list is empty.
 *
 * @example
 * for (const { option, found, recommended, why } of checkClient(client)) {
 *   console.warn(`${option} is ${found}, better: ${recommended}; else ${why}`);
 * }
 */
export function checkClient(client: RedisClient): readonly ClientWarning[] {
  if (isIoredis(client)) return ofIoredis(client);
  return isNodeRedis(client) ? ofNodeRedis(client) : [];
}

function ofIoredis(client: AnyIoredis): readonly ClientWarning[] {
  const options = client.options ?? {};
  if (isIoredisCluster(client)) return warningsOf(ioredisClusterRules, options);
  const hasSentinels = !!(options as { readonly sentinels?: unknown }).sentinels;
  const more = hasSentinels ? ioredisSentinelRules : ioredisFixedRules;
  return warningsOf([...ioredisRules, ...more], options);
}

function ofNodeRedis(client: AnyNodeRedis): readonly ClientWarning[] {
  if (isNodeRedisCluster(client)) return warningsOf(nodeRedisClusterRules, "not shown");
  if ("getMasterNode" in client) return warningsOf(nodeRedisSentinelRules, "not shown");
  return warningsOf(nodeRedisRules, (client as NodeRedisClient).options ?? {});
}
