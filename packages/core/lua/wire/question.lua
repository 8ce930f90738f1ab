-- The argument of a call: one JSON array of numbers and texts, read from left to right. One flat
-- array costs a fraction of nested ones, of one argument per number, and of texts that Lua would
-- have to take apart.
--
-- It begins with the limits that the call names, each once: how many, then for each name, kind,
-- unit, max, a, b, mode. What follows refers to them by place. Kinds and what a and b mean:
--   1 fixed window    windowMs, 1 if anchored at the epoch
--   2 sliding window  windowMs, buckets
--   3 sliding log     windowMs, -
--   4 token bucket    perMs, refill
--   5 slots           leaseMs, -
-- mode is 1 for limits that refuse and 0 for those that only report.
local asked = cjson.decode(ARGV[1])
local place = 0

local function take()
  place = place + 1
  return asked[place]
end

local limits = {}
for index = 1, take() do
  limits[index] = {
    asked[place + 1], asked[place + 2], asked[place + 3], asked[place + 4],
    asked[place + 5], asked[place + 6], asked[place + 7],
  }
  place = place + 7
end
