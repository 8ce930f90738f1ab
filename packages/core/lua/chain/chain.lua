-- Twin of engine/chain.ts: the counters of one descriptor, under one key, packed with
-- MessagePack as { FORMAT, node, node, ... }. A node is { name, kind, unit, a, b, serial, ... };
-- a and b as in wire/question.lua, of the limit that wrote it.
--
-- Chains are read once per call and written once at its end, so that questions of one call that
-- meet in a key cost one read and one write together. A chain is known by the place of its key in
-- KEYS; place 0 is a descriptor that has no counters in this call.
#include "chain/slack"

-- A number that nobody else writes first, and the version of what follows.
local FORMAT = 1817964801

local chains = { [0] = { FORMAT } }
local is_dirty = {}

-- Everything at once; for a key of another type there is nothing.
local stored = redis.call("MGET", unpack(KEYS))
local is_ours = {}

local function read_chain(key_place)
  local chain = { FORMAT }
  if stored[key_place] then
    local is_readable, unpacked = pcall(cmsgpack.unpack, stored[key_place])
    if is_readable and type(unpacked) == "table" and unpacked[1] == FORMAT then
      chain = unpacked
      is_ours[key_place] = true
    end
  end
  chains[key_place] = chain
  return chain
end

-- Whether something is at the key that is not ours. It is as good as nothing, and the write that
-- follows replaces it; so this is asked about the first node that is written, and no other.
local function is_foreign(key_place)
  if is_ours[key_place] then return false end
  is_ours[key_place] = true
  return redis.call("EXISTS", KEYS[key_place]) == 1
end

-- The node of a name, whatever its shape, and its place; nothing if there is none.
local function node_of(key_place, name)
  local chain = chains[key_place] or read_chain(key_place)
  for index = 2, #chain do
    if chain[index][1] == name then return chain[index], index end
  end
  return nil
end

-- Whether live state stands under the name of a limit that cannot go on with it.
local function is_of_another_shape(key_place, limit)
  local node = node_of(key_place, limit[1])
  if node == nil or rules_of(node[2]).expires(node) <= now then return false end
  return node[2] ~= limit[2] or not rules_of(limit[2]).is_same_shape(limit, node)
end

local function write_node(key_place, node)
  local _, index = node_of(key_place, node[1])
  local chain = chains[key_place]
  chain[index or #chain + 1] = node
  is_dirty[key_place] = true
end

local function save_chains()
  for key_place in pairs(is_dirty) do
    local chain = chains[key_place]
    local latest = now
    for index = #chain, 2, -1 do
      local expires = rules_of(chain[index][2]).expires(chain[index])
      if expires <= now then
        table.remove(chain, index)
      elseif expires > latest then
        latest = expires
      end
    end
    if latest == now then
      redis.call("DEL", KEYS[key_place])
    else
      local packed = cmsgpack.pack(chain)
      redis.call("SET", KEYS[key_place], packed, "PX", latest - now + SLACK_MS)
    end
  end
end
