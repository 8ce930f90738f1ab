import type { Redis } from "ioredis";

const HOST = "127.0.0.1";

/** A client library for Redis, as npm names it. */
export type Library = "ioredis" | "redis";

export const libraries: readonly Library[] = ["ioredis", "redis"];

/** What both libraries can do, in one shape. */
export interface OpenClient {
  readonly library: Library;
  /** For whoever knows the libraries. */
  readonly client: Redis | Awaited<ReturnType<typeof nodeRedis>>;
  incr(key: string): Promise<unknown>;
  loadScript(source: string): Promise<unknown>;
  evalSha(sha: string, key: string): Promise<unknown>;
}

/**
 * A connected client, with the same options for all that are compared. Only the library in question
 * is loaded.
 */
export function openClient(library: Library, port: number): Promise<OpenClient> {
  return library === "ioredis" ? openIoredis(port) : openNodeRedis(port);
}

async function openIoredis(port: number): Promise<OpenClient> {
  const { Redis } = await import("ioredis");
  const client = new Redis({ host: HOST, port, enableOfflineQueue: false, lazyConnect: true });
  await client.connect();
  return {
    library: "ioredis",
    client,
    incr: (key) => client.incr(key),
    loadScript: (source) => client.script("LOAD", source),
    evalSha: (sha, key) => client.evalsha(sha, 1, key),
  };
}

async function nodeRedis(port: number) {
  const { createClient } = await import("redis");
  return createClient({ socket: { host: HOST, port }, disableOfflineQueue: true });
}

async function openNodeRedis(port: number): Promise<OpenClient> {
  const client = await nodeRedis(port);
  client.on("error", () => {});
  await client.connect();
  return {
    library: "redis",
    client,
    incr: (key) => client.incr(key),
    loadScript: (source) => client.scriptLoad(source),
    evalSha: (sha, key) => client.evalSha(sha, { keys: [key], arguments: [] }),
  };
}
