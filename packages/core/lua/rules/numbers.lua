-- Twin of engine/rules/rules.ts.
local NEVER = -2
local UNKNOWN_WAIT = -1
local LARGEST = 9007199254740991

local floor = math.floor

-- Whether `cost` more fits: all of it, and for cost 0 at least one unit must be free.
local function fits(used, cost, max)
  if cost == 0 then return used < max end
  return used + cost <= max
end

local function can_never_pass(cost, max)
  return max == 0 or cost > max
end

-- Debts saturate at 2^53 - 1.
local function add_units(used, units)
  local sum = used + units
  if sum < 0 then return 0 end
  if sum > LARGEST then return LARGEST end
  return sum
end
