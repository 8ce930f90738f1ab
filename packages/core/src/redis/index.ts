export type { RedisClient } from "./executor/client";
export { type RedisStore, redisStore } from "./redis-store";
export type { RedisStoreOptions } from "./redis-store-options";
