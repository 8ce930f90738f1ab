import type { DescriptorKey } from "../../../src/engine/command";
import type { DescriptorState, LimitState } from "../../../src/engine/state";
import { CHAIN_FORMAT, READ_CHAIN } from "../stored-chain";
import { OPERATIONS_MAX } from "./step";
import type { TwinServer } from "./twin-server";

/** The ids that steps give to operations. */
const operationIds = Array.from({ length: OPERATIONS_MAX + 1 }, (_, number) => `op-${number}`);

/** What means something in the state of a descriptor, by name, in a form that can be compared. */
export type LiveState = Readonly<Record<string, unknown>>;

/** The live nodes of a chain as the transitions hold it. */
export function liveStateOf(chain: DescriptorState, nowMs: number): LiveState {
  const live: Record<string, unknown> = {};
  for (let node = chain; node !== null; node = node.next) {
    const numbers = numbersOf(node, nowMs);
    if (numbers !== undefined) live[`${node.limit.kind} ${node.limit.name}`] = numbers;
  }
  return live;
}

function numbersOf(node: LimitState, nowMs: number): unknown {
  switch (node.limit.kind) {
    case "concurrency": {
      const { ids, expiriesMs, limit } = node as Extract<LimitState, { ids: unknown }>;
      const leases = ids.map((id, place) => [expiriesMs[place] as number, id] as const);
      const alive = leases.filter(([expiryMs]) => expiryMs > nowMs);
      return alive.length === 0 ? undefined : { longest: limit.leaseMs, leases: sorted(alive) };
    }
    case "operations": {
      const { records } = node as Extract<LimitState, { records: unknown }>;
      const alive = records
        .filter(({ expiresAtMs }) => expiresAtMs > nowMs)
        .map(({ id, expiresAtMs, charges }) => [
          id,
          expiresAtMs,
          charges?.map(({ name, isSlot, amount, chargedAt, serial }) => [
            name,
            isSlot ? 1 : 0,
            amount,
            chargedAt,
            serial,
          ]) ?? false,
        ]);
      return alive.length === 0 ? undefined : byId(alive);
    }
    case "fixed-window": {
      const { startMs, used, serial, limit } = node as Extract<LimitState, { startMs: unknown }>;
      return startMs + limit.windowMs <= nowMs ? undefined : [serial, startMs, used];
    }
    case "pool-unit": {
      const { startMs, used, classes, serial, limit } = node as Extract<
        LimitState,
        { classes: unknown }
      >;
      if (startMs + limit.windowMs <= nowMs) return undefined;
      const byClass = classes.map(({ name, used: own, spent }) => [
        name,
        own.flatMap((units, place) => [units, spent[place] as number]),
      ]);
      return [serial, startMs, used, byName(byClass)];
    }
    case "sliding-window": {
      const { newest, counts, serial, limit } = node as Extract<LimitState, { newest: unknown }>;
      const goneMs = ((newest + limit.buckets + 1) * limit.windowMs) / limit.buckets;
      return goneMs <= nowMs ? undefined : [serial, newest, counts];
    }
    case "sliding-log": {
      const log = node as Extract<LimitState, { instantsMs: unknown }>;
      const lastMs = log.instantsMs.at(-1) as number;
      if (lastMs + log.limit.windowMs <= nowMs) return undefined;
      return [log.serial, log.instantsMs, log.costs];
    }
    case "token-bucket": {
      const { limit, serial, used, atMs, remainder } = node as Extract<
        LimitState,
        { remainder: unknown }
      >;
      const bucket = { perMs: limit.perMs, refill: limit.refill, used, atMs, remainder };
      return isFull(bucket, nowMs) ? undefined : [serial, used, atMs, remainder, limit.refill];
    }
  }
}

/**
 * Everything at the keys, without loss (every number is written in full), each with its time to
 * live.
 */
const DUMP = `${READ_CHAIN}
local function text(value)
  if type(value) == "number" then return string.format("%.0f", value) end
  if type(value) == "string" then return '"' .. value .. '"' end
  if type(value) == "boolean" then return tostring(value) end
  local items = {}
  -- The classes of a pool: a table with names for keys.
  if #value == 0 and next(value) then
    for name, item in pairs(value) do
      items[#items + 1] = "[" .. text(name) .. "," .. text(item) .. "]"
    end
    return "[" .. table.concat(items, ",") .. "]"
  end
  for index, item in ipairs(value) do items[index] = text(item) end
  return "[" .. table.concat(items, ",") .. "]"
end
local all = {}
for index, key in ipairs(KEYS) do
  local kind = redis.call("TYPE", key).ok
  local held = {}
  if kind == "string" then
    local value = redis.call("GET", key)
    held = string.find(key, "!", 1, true) and cmsgpack.unpack(value) or nodes_in(value)
  end
  if kind == "zset" then held = redis.call("ZRANGE", key, 0, -1, "WITHSCORES") end
  all[index] = { kind, redis.call("PTTL", key), held }
end
return text(all)
`;

/** What is dead is as good as gone; this makes it so. */
const PURGE = `${READ_CHAIN}
local dead = cjson.decode(ARGV[1])
for _, key in ipairs(KEYS) do
  local kind = redis.call("TYPE", key).ok
  if kind == "zset" then
    redis.call("ZREMRANGEBYSCORE", key, "-inf", ARGV[2])
    if redis.call("ZCARD", key) == 1 then redis.call("DEL", key) end
  elseif kind == "string" and string.find(key, "!", 1, true) then
    local record = cmsgpack.unpack(redis.call("GET", key))
    if record[2] <= tonumber(ARGV[2]) then redis.call("DEL", key) end
  elseif kind == "string" then
    local value = redis.call("GET", key)
    local nodes, texts = nodes_in(value)
    local kept = { string.sub(value, 1, HEAD_LENGTH) }
    for index, text in ipairs(texts) do
      local is_dead = false
      for _, name in ipairs(dead) do is_dead = is_dead or nodes[index + 1][1] == name end
      if not is_dead then kept[#kept + 1] = text end
    end
    redis.call("SET", key, table.concat(kept), "PX", 60000)
  end
end
`;

type StoredNode = readonly [string, number, string, number, number, number, ...never[]];

/** What stands at a key: its type, its time to live, and its nodes or members. */
type StoredKey = readonly ["none" | "string" | "zset", number, readonly unknown[]];

/** A descriptor on the server: its live state, and which of its limits are dead. */
export interface Stored {
  readonly live: LiveState;
  readonly dead: readonly string[];
  /** Milliseconds; of every key that is there. */
  readonly timesToLive: readonly number[];
}

/** The state of a descriptor as the server holds it, with the leases of `slotNames`. */
export async function storedStateOf(
  server: TwinServer,
  descriptor: DescriptorKey,
  slotNames: readonly string[],
  nowMs: number,
): Promise<Stored> {
  const keys = keysOf(server, descriptor, slotNames);
  const dumped = await server.command("EVAL", DUMP, keys.length, ...keys);
  const [chain, ...others] = JSON.parse(String(dumped)) as readonly StoredKey[];
  const leases = others.slice(0, slotNames.length);
  const live: Record<string, unknown> = {};
  const dead: string[] = [];
  const [format = CHAIN_FORMAT, ...nodes] = (chain as StoredKey)[2];
  if (format !== CHAIN_FORMAT) throw new Error(`the format is ${format}`);
  for (const node of nodes as StoredNode[]) {
    const numbers = storedNumbersOf(node, nowMs);
    if (numbers === undefined) dead.push(node[0]);
    else live[`${KINDS[node[1]]} ${node[0]}`] = numbers;
  }
  for (const [place, name] of slotNames.entries()) {
    const held = liveLeases((leases[place] as StoredKey)[2] as readonly string[], nowMs);
    if (held !== undefined) live[`concurrency ${name}`] = held;
  }
  const records = liveRecords(others.slice(slotNames.length), nowMs);
  if (records !== undefined) live["operations #operations"] = records;
  const there = [chain as StoredKey, ...others].filter(([type]) => type !== "none");
  return { live, dead, timesToLive: there.map(([, leftMs]) => leftMs) };
}

/** Removes from the server what has expired by `nowMs`. */
export async function purge(
  server: TwinServer,
  descriptor: DescriptorKey,
  slotNames: readonly string[],
  nowMs: number,
): Promise<void> {
  const { dead } = await storedStateOf(server, descriptor, slotNames, nowMs);
  const keys = keysOf(server, descriptor, slotNames);
  await server.command("EVAL", PURGE, keys.length, ...keys, JSON.stringify(dead), nowMs);
}

function keysOf(server: TwinServer, descriptor: DescriptorKey, slotNames: readonly string[]) {
  const leases = slotNames.map((name) => server.leasesKey(descriptor, name));
  const records = operationIds.map((id) => server.recordKey(descriptor, id));
  return [server.chainKey(descriptor), ...leases, ...records];
}

const KINDS: Readonly<Record<number, string>> = {
  1: "fixed-window",
  2: "sliding-window",
  3: "sliding-log",
  4: "token-bucket",
  6: "pool-unit",
};

function storedNumbersOf(node: StoredNode, nowMs: number): unknown {
  const [, kind, , a, b, serial, ...rest] = node;
  const [first, second, third] = rest as readonly never[] as readonly [never, never, never];
  switch (kind) {
    case 1:
      return first + a <= nowMs ? undefined : [serial, first, second];
    case 2:
      return ((first + b + 1) * a) / b <= nowMs ? undefined : [serial, first, second];
    case 3: {
      const lastMs = (first as readonly number[]).at(-1) as number;
      return lastMs + a <= nowMs ? undefined : [serial, first, second];
    }
    case 4:
      return isFull({ perMs: a, refill: b, used: first, atMs: second, remainder: third }, nowMs)
        ? undefined
        : [serial, first, second, third, b];
    case 6:
      return first + a <= nowMs ? undefined : [serial, first, second, byName(third)];
    default:
      throw new Error(`a node of kind ${kind}`);
  }
}

/** What an operation left: the format, when it is over, and its charges or false. */
type StoredRecord = readonly [number, number, unknown];

function liveRecords(keys: readonly StoredKey[], nowMs: number): unknown {
  const alive = keys.flatMap(([type, , held], operation) => {
    const [, expiresAtMs, charges] = held as unknown as StoredRecord;
    const isAlive = type !== "none" && expiresAtMs > nowMs;
    return isAlive ? [[operationIds[operation], expiresAtMs, charges]] : [];
  });
  return alive.length === 0 ? undefined : byId(alive);
}

/** Classes have no order of their own. */
function byName(classes: readonly (readonly unknown[])[]) {
  return byId(classes);
}

/** Records have no order of their own. */
function byId(records: readonly (readonly unknown[])[]) {
  return [...records].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}

/** Whether all that was missing has come back. */
function isFull(
  bucket: Readonly<Record<"perMs" | "refill" | "used" | "atMs" | "remainder", number>>,
  nowMs: number,
): boolean {
  const { perMs, refill, used, atMs, remainder } = bucket;
  const missing = BigInt(used) * BigInt(perMs) - BigInt(remainder);
  return missing <= BigInt(Math.max(0, nowMs - atMs)) * BigInt(refill);
}

function liveLeases(flat: readonly string[], nowMs: number): unknown {
  const members = flat.flatMap((id, place) =>
    place % 2 === 0 ? [[Number(flat[place + 1]), id] as const] : [],
  );
  const mark = members.find(([, id]) => id === "#");
  const alive = members.filter(([expiryMs, id]) => id !== "#" && expiryMs > nowMs);
  if (alive.length === 0) return undefined;
  return { longest: (mark?.[0] ?? 0) - 2 ** 52, leases: sorted(alive) };
}

/** Leases that expire together have no order of their own. */
function sorted(leases: readonly (readonly [number, string])[]) {
  return [...leases].sort(([a, x], [b, y]) => a - b || (x < y ? -1 : 1));
}
