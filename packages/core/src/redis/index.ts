export { checkClient } from "./executor/check-client";
export type { RedisClient } from "./executor/client";
export type { ClientWarning } from "./executor/option-rule";
export type { BreakerState } from "./node/breaker";
export type { StoreNode } from "./node/nodes";
export { type RedisStore, redisStore } from "./redis-store";
export type { RedisStoreOptions } from "./redis-store-options";
