-- Twin of engine/chain.ts: the counters of one descriptor, under one key, as chain/value.lua writes
-- them. Here a chain is { the instant by which its time to live was set, node, node, ... }, and a
-- node { name, kind, unit, a, b, serial, ... }; a and b as in wire/question.lua, of the limit that
-- wrote it.
--
-- Chains are read once per call and written once at its end, so that questions of one call that
-- meet in a key cost one read and one write together. A chain is known by the place of its key in
-- KEYS; place 0 is a descriptor that has no counters in this call.
#include "chain/slack"
#include "chain/value"

local chains = { [0] = { 0 } }
local is_dirty = {}

-- Everything at once; for a key of another type there is nothing.
local stored = redis.call("MGET", unpack(KEYS))
local is_ours = {}

local function read_chain(key_place)
  local value, chain = stored[key_place], nil
  if value then
    local is_readable, found = pcall(chain_in, value)
    if is_readable and found then
      chain = found
      is_ours[key_place] = true
    end
  end
  chain = chain or { 0 }
  chains[key_place] = chain
  return chain
end

-- The node of a name, whatever its shape, and its place; nothing if there is none.
local function node_of(key_place, name)
  local chain = chains[key_place] or read_chain(key_place)
  for index = 2, #chain do
    if chain[index][1] == name then return chain[index], index end
  end
  return nil
end
