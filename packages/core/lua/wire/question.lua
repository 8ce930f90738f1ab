-- The argument of a call: one JSON array. Its first item are the limits that the call names, each
-- once, as { name, kind, unit, max, a, b, mode }; what follows refers to them by place. Each item
-- after it is one command, flat; or, of admit and peek, a group of questions (wire/group.lua). One
-- argument costs a fraction of one argument per number, and of texts that Lua would have to take
-- apart.
--
-- Kinds, and what a and b mean:
--   1 fixed window    windowMs, 1 if anchored at the epoch
--   2 sliding window  windowMs, buckets
--   3 sliding log     windowMs, -
--   4 token bucket    perMs, refill
--   5 slots           leaseMs, -
--   6 unit of a pool  windowMs, all units of the pool; more follows the mode: rules/pool-unit.lua
-- mode is 1 for limits that refuse and 0 for those that only report.
local asked = cjson.decode(ARGV[1])
local limits = asked[1]
