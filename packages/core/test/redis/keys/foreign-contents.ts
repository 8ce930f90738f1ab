import type { RedisServer } from "../../../../../tools/redis/redis-server";

/** Puts something at a key that no script of ours wrote, without an end. */
export interface ForeignContent {
  readonly what: string;
  readonly put: (server: RedisServer, key: string) => Promise<unknown>;
}

const packed = (lua: string) => async (server: RedisServer, key: string) =>
  server.command("EVAL", `return redis.call("SET", KEYS[1], cmsgpack.pack(${lua}))`, 1, key);

const laidOut = (lua: string) => async (server: RedisServer, key: string) =>
  server.command("EVAL", `return redis.call("SET", KEYS[1], ${lua})`, 1, key);

const text = (value: string) => async (server: RedisServer, key: string) =>
  server.command("SET", key, value);

/** What other programs, older versions and accidents may leave where we look for counters. */
export const foreignContents: readonly ForeignContent[] = [
  { what: "the text -1", put: text("-1") },
  { what: "the text 1000", put: text("1000") },
  { what: "an empty text", put: text("") },
  { what: "a long text", put: text("x".repeat(10_000)) },
  { what: "a text of half a list", put: text("\u0093\u0001") },
  { what: "a JSON text", put: text('[1817964802,["a"]]') },
  { what: "a packed number", put: packed("1817964802") },
  { what: "a packed list", put: packed("{1, 2, 3}") },
  { what: "an empty packed list", put: packed("{}") },
  {
    what: "the format before",
    put: packed('{1817964801, {"limit", 1, "requests", 1, 2, 3, 4, 5}}'),
  },
  { what: "a packed map", put: packed("{format = 1817964802, used = 1000}") },
  { what: "the next format", put: laidOut('struct.pack("<I4d", 1817964803, 1)') },
  { what: "the half of a head", put: laidOut('struct.pack("<I4I2", 1817964802, 1)') },
  {
    what: "a head and half a node",
    put: laidOut('struct.pack("<I4dBBc0", 1817964802, 1, 1, 5, "limit")'),
  },
  {
    what: "a head and a node of no kind",
    put: laidOut('struct.pack("<I4dBI2", 1817964802, 1, 9, 0)'),
  },
  { what: "a hash", put: async (server, key) => server.command("HSET", key, "used", 1_000) },
  { what: "a list", put: async (server, key) => server.command("RPUSH", key, "1", "2") },
  { what: "a set", put: async (server, key) => server.command("SADD", key, "1", "2") },
  { what: "a stream", put: async (server, key) => server.command("XADD", key, "*", "a", "1") },
  {
    what: "a sorted set without our mark",
    put: async (server, key) => server.command("ZADD", key, 9e15, "a", 9e15, "b", 1, "c"),
  },
];
