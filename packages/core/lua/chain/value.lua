-- How a chain is written: a text of FORMAT, the instant by which its time to live was set, and its
-- nodes. A node is a byte and what that says: the kind of a limit whose state is a few numbers, and
-- its fields one after the other; or 0 and the whole node, packed with MessagePack, which takes
-- several times as long.
#include "rules/kinds"

-- A number that nobody else writes first, and the version of what follows.
local FORMAT = 1817964802
local HEAD = "<I4d"
-- The byte, name, unit, a, serial, start, used.
local FIXED_WINDOW_FIELDS = "<BBc0I2c0dddd"
-- The byte, name, unit, a, b, serial, used, at, remainder.
local TOKEN_BUCKET_FIELDS = "<BBc0I2c0dddddd"
local PACKED = 0
local PACKED_FIELDS = "<BI4c0"

-- The chain in a value; nothing if the value is not ours. Throws on some values that are not.
local function chain_in(value)
  local read = struct.unpack
  local format, latest, at = read(HEAD, value)
  if format ~= FORMAT then return nil end
  local chain = { latest }
  local index, size = 1, #value
  while at <= size do
    local kind = string.byte(value, at)
    index = index + 1
    if kind == FIXED_WINDOW then
      local name, unit, window, serial, start, used
      kind, name, unit, window, serial, start, used, at = read(FIXED_WINDOW_FIELDS, value, at)
      chain[index] = { name, kind, unit, window, 0, serial, start, used }
    elseif kind == TOKEN_BUCKET then
      local name, unit, per, refill, serial, used, since, rest
      kind, name, unit, per, refill, serial, used, since, rest, at =
        read(TOKEN_BUCKET_FIELDS, value, at)
      chain[index] = { name, kind, unit, per, refill, serial, used, since, rest }
    else
      local packed
      kind, packed, at = read(PACKED_FIELDS, value, at)
      chain[index] = cmsgpack.unpack(packed)
    end
  end
  return chain
end

local function value_of(chain)
  local write = struct.pack
  local value = write(HEAD, FORMAT, chain[1])
  for index = 2, #chain do
    local node = chain[index]
    local name, kind, unit = node[1], node[2], node[3]
    if kind == FIXED_WINDOW then
      value = value .. write(
        FIXED_WINDOW_FIELDS,
        kind, #name, name, #unit, unit, node[4], node[6], node[7], node[8]
      )
    elseif kind == TOKEN_BUCKET then
      value = value .. write(
        TOKEN_BUCKET_FIELDS,
        kind, #name, name, #unit, unit, node[4], node[5], node[6], node[7], node[8], node[9]
      )
    else
      local packed = cmsgpack.pack(node)
      value = value .. write(PACKED_FIELDS, PACKED, #packed, packed)
    end
  end
  return value
end
