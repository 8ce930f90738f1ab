/**
 * For scripts of tests: `nodes_in(value)` is a chain as a list, the format number first, then its
 * nodes as { name, kind, unit, a, b, serial, ... }, and the texts of the nodes as they are stored,
 * behind `HEAD_LENGTH` bytes. It shares no code with the scripts of the store.
 */
export const READ_CHAIN = `
local HEAD_LENGTH = 12
local SHARED, NUMBERS = "Bc0I2c0", { [1] = "dddd", [4] = "dddddd" }
local function node_at(value, at)
  local kind = string.byte(value, at)
  if kind == 0 then
    local packed, after = struct.unpack("<I4c0", value, at + 1)
    return cmsgpack.unpack(packed), after
  end
  local found = { struct.unpack("<" .. SHARED .. NUMBERS[kind], value, at + 1) }
  local node = { found[1], kind, found[2], found[3] }
  -- A fixed window does not store its second number, which is always 0.
  if kind == 1 then node[5] = 0 end
  for index = 4, #found - 1 do node[#node + 1] = found[index] end
  return node, found[#found]
end
local function nodes_in(value)
  local nodes, texts = { (struct.unpack("<I4", value)) }, {}
  local at = HEAD_LENGTH + 1
  while at <= #value do
    local node, after = node_at(value, at)
    nodes[#nodes + 1] = node
    texts[#texts + 1] = string.sub(value, at, after - 1)
    at = after
  end
  return nodes, texts
end
`;

/** The number with which a chain begins. */
export const CHAIN_FORMAT = 1_817_964_802;
