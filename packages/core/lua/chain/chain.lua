-- Twin of engine/chain.ts: the counters and records of one descriptor, under one key, packed with
-- MessagePack as { FORMAT, node, node, ... }. A node is { name, kind, unit, a, b, serial, ... };
-- a and b as in wire/question.lua, of the limit that wrote it.
--
-- Chains are read once per call and written once at its end, so that questions of one call that
-- meet in a key cost one read and one write together.
local FORMAT = "sluice1"

#include "chain/slack"

local chains = {}

-- What is at the key and is not ours is as good as nothing; the next write replaces it.
local function read_chain(key)
  local stored = redis.pcall("GET", key)
  if not stored then return { FORMAT } end
  if type(stored) == "string" then
    local is_readable, chain = pcall(cmsgpack.unpack, stored)
    if is_readable and type(chain) == "table" and chain[1] == FORMAT then return chain end
  end
  return { FORMAT, is_foreign = true }
end

-- The chain at a place of KEYS; place 0 is a descriptor that has no counters in this call.
local function chain_of(key_place)
  local chain = chains[key_place]
  if chain == nil then
    chain = key_place == 0 and { FORMAT } or read_chain(KEYS[key_place])
    chains[key_place] = chain
  end
  return chain
end

local function node_of(chain, name)
  for index = 2, #chain do
    if chain[index][1] == name then return chain[index], index end
  end
  return nil
end

local function records_expire(node)
  local latest = 0
  for _, record in ipairs(node[7]) do latest = math.max(latest, record[2]) end
  return latest
end

local function node_expires(node)
  if node[2] == OPERATIONS then return records_expire(node) end
  return rules_of(node[2]).expires(node)
end

-- The state of a limit that can go on: alive, of its shape, nothing of it in the future. The second
-- result says whether something was.
local function find(chain, limit, serial)
  local node = node_of(chain, limit[1])
  if node == nil or node[2] ~= limit[2] then return nil, false end
  local rules = rules_of(limit[2])
  if not rules.is_same_shape(limit, node) then return nil, false end
  local was_ahead = rules.bring_back(node, serial)
  if rules.expires(node) <= now then return nil, false end
  return node, was_ahead
end

-- Whether live state stands under the name of a limit that cannot go on with it.
local function is_of_another_shape(chain, limit)
  local node = node_of(chain, limit[1])
  if node == nil or node_expires(node) <= now then return false end
  return node[2] ~= limit[2] or not rules_of(limit[2]).is_same_shape(limit, node)
end

local function write_node(chain, node)
  local _, index = node_of(chain, node[1])
  chain[index or #chain + 1] = node
  chain.is_dirty = true
end

local function remove_node(chain, name)
  local _, index = node_of(chain, name)
  if index ~= nil then table.remove(chain, index) end
  chain.is_dirty = true
end

local function save_chain(key, chain)
  local kept = { FORMAT }
  local latest = 0
  for index = 2, #chain do
    local expires = node_expires(chain[index])
    if expires > now then
      kept[#kept + 1] = chain[index]
      if expires > latest then latest = expires end
    end
  end
  if #kept == 1 then
    redis.call("DEL", key)
  else
    local left = string.format("%.0f", latest - now + SLACK_MS)
    redis.call("SET", key, cmsgpack.pack(kept), "PX", left)
  end
end

local function save_chains()
  for key_place, chain in pairs(chains) do
    if chain.is_dirty and key_place > 0 then save_chain(KEYS[key_place], chain) end
  end
end
