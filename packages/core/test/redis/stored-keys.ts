import { RespConnection } from "../../../../tools/redis/resp-connection";
import { READ_CHAIN } from "./stored-chain";

/** What is stored under one key, as the server tells it. */
export interface StoredKey {
  readonly key: string;
  readonly type: string;
  /** -1 is for ever. */
  readonly ttlMs: number;
  /** The last instant at which something in it means something, by its content. */
  readonly latestMs: number;
  /** The server's clock when it was looked at. */
  readonly serverNowMs: number;
  /** What its limits count; of slots, the live leases. */
  readonly counters: readonly { readonly limit: string; readonly used: number }[];
}

/** Everything at a key, every number in full. */
const DUMP = `${READ_CHAIN}
local function text(value)
  if type(value) == "number" then return string.format("%.0f", value) end
  if type(value) == "string" then return cjson.encode(value) end
  if type(value) == "boolean" then return tostring(value) end
  local items = {}
  for index, item in ipairs(value) do items[index] = text(item) end
  return "[" .. table.concat(items, ",") .. "]"
end
local key = KEYS[1]
local kind = redis.call("TYPE", key).ok
local held = {}
if kind == "string" then
  local value = redis.call("GET", key)
  held = string.find(key, "!", 1, true) and cmsgpack.unpack(value) or nodes_in(value)
end
if kind == "zset" then held = redis.call("ZRANGE", key, 0, -1, "WITHSCORES") end
local time = redis.call("TIME")
return text({ kind, redis.call("PTTL", key), time[1] * 1000 + math.floor(time[2] / 1000), held })
`;

/** All keys with a prefix, on one server or on the masters of a cluster. */
export async function storedKeys(
  ports: readonly number[],
  prefix: string,
): Promise<readonly StoredKey[]> {
  const all: StoredKey[] = [];
  for (const port of ports) {
    const connection = await RespConnection.open(port);
    try {
      const [role] = (await connection.command("ROLE")) as readonly string[];
      if (role === "master") all.push(...(await keysOf(connection, prefix)));
    } finally {
      connection.close();
    }
  }
  return all;
}

async function keysOf(connection: RespConnection, prefix: string): Promise<StoredKey[]> {
  const names = (await connection.command("KEYS", `${prefix}*`)) as readonly string[];
  const keys: StoredKey[] = [];
  for (const key of names) {
    const dumped = JSON.parse(String(await connection.command("EVAL", DUMP, 1, key)));
    const [type, ttlMs, serverNowMs, held] = dumped as [string, number, number, unknown[]];
    // It may have ended since it was listed.
    if (type === "none") continue;
    const content = contentOf(key, type, held, serverNowMs);
    keys.push({ key, type, ttlMs, serverNowMs, ...content });
  }
  return keys;
}

type Content = Pick<StoredKey, "latestMs" | "counters">;

function contentOf(key: string, type: string, held: unknown[], serverNowMs: number): Content {
  if (type === "zset") return leasesIn(key, held, serverNowMs);
  return key.includes("!") ? recordIn(held) : nodesIn(held);
}

/** What an operation charged: the format, when it is over, and the charges. */
function recordIn(held: readonly unknown[]): Content {
  return { latestMs: held[1] as number, counters: [] };
}

/** A member per lease, by its end; `#` carries the longest lease, above all ends. */
function leasesIn(key: string, held: readonly unknown[], serverNowMs: number): Content {
  const ends = held.flatMap((member, place) =>
    place % 2 === 0 && member !== "#" ? [Number(held[place + 1])] : [],
  );
  const limit = key.slice(key.indexOf("~") + 1);
  const used = ends.filter((end) => end > serverNowMs).length;
  return { latestMs: Math.max(0, ...ends), counters: [{ limit, used }] };
}

/** Name, kind, unit, two numbers of its shape, serial, and what the kind has to say. */
type Node = readonly [string, number, string, number, number, number, ...unknown[]];

/** The counters of a descriptor: after the number of the format, a list per limit. */
function nodesIn(held: readonly unknown[]): Content {
  const nodes = held.slice(1) as readonly Node[];
  return {
    latestMs: Math.max(0, ...nodes.map(endOf)),
    counters: nodes.flatMap((node) =>
      node[1] === POOL_UNIT ? unitsIn(node) : { limit: node[0], used: usedIn(node) },
    ),
  };
}

const FIXED_WINDOW = 1;
const SLIDING_WINDOW = 2;
const SLIDING_LOG = 3;
const TOKEN_BUCKET = 4;
const POOL_UNIT = 6;

type Numbers = readonly [number, number, number];
type Lists = readonly [readonly number[], readonly number[]];

function usedIn([, kind, , , , , ...own]: Node): number {
  if (kind === FIXED_WINDOW) return (own as unknown as Numbers)[1];
  if (kind === TOKEN_BUCKET) return (own as unknown as Numbers)[0];
  if (kind !== SLIDING_WINDOW && kind !== SLIDING_LOG) return 0;
  return (own as unknown as Lists)[1].reduce((sum, count) => sum + count, 0);
}

/** A pool has a counter per unit. */
function unitsIn([name, , units, , , , , used]: Node): Content["counters"] {
  return units.split(",").map((unit, place) => ({
    limit: `${name}#${unit}`,
    used: (used as number[])[place] as number,
  }));
}

function endOf([, kind, , a, b, , ...own]: Node): number {
  const [first, second, third] = own as unknown as Numbers;
  switch (kind) {
    case FIXED_WINDOW:
    case POOL_UNIT:
      return first + a;
    case SLIDING_WINDOW:
      return ((first + b + 1) * a) / b;
    case SLIDING_LOG:
      return ((own as unknown as Lists)[0].at(-1) ?? 0) + a;
    case TOKEN_BUCKET:
      return second + Math.ceil((first * a - third) / b);
    default:
      throw new Error(`a node of kind ${kind}`);
  }
}
