export { checkClient } from "./executor/check-client";
export type { RedisClient } from "./executor/client";
export type { ClientWarning } from "./executor/option-rule";
export { type RedisStore, redisStore } from "./redis-store";
export type { RedisStoreOptions } from "./redis-store-options";
