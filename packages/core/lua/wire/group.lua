-- Questions that differ in nothing but whom they are about are written once, as a group: { deadline
-- (server time, 0 for none), serial of the first, each further one has the next; how many, below 0 if
-- all are about the same keys; how many checks each has; the checks; places in KEYS }.
--
-- A group of one question that takes slots or can be undone has before its checks the operation id,
-- for how long it can be undone (0: not), and a list: for each descriptor the places of its chain and
-- of the record in KEYS.
--
-- A check is three numbers: the chain of its descriptor (0 if that is not needed), the place of its
-- limit, and the units that it is asked for; for slots, of which it is always one, the leases instead.
-- Chains and leases are told by their places among those of the question.
--
-- The places of the first question end the group if the others are about the same keys, or about
-- those that follow in KEYS; else the places of all do.
--
-- Part of the loop over groups, and so no function, of which each has its price in every call: reads
-- `group`, of which the checks begin at `at`. Then `checks` are the first `count` of the list; the
-- places of the first question stand in the group behind `first`, and for each further one `first`
-- moves on by `step`, or the places themselves by `stride`.
local count, first, width = group[4], at - 1, 0
for index = 1, count do
  local check = checks[index]
  if check == nil then
    -- Made once, at its full size, and used again by the groups that follow.
    check = {
      chain = 0, limit = false, units = 0, leases = 0, rules = false, key_place = 0, state = false,
      slots = false, was_ahead = false, wait = 0, used = 0, reset = 0, at = -1, serial = 0,
    }
    checks[index] = check
  end
  local chain, limit, units = group[first + 1], limits[group[first + 2]], group[first + 3]
  first = first + 3
  if chain > width then width = chain end
  check.chain, check.limit, check.slots = chain, limit, false
  if limit[2] == SLOTS then
    check.units, check.leases = 1, units
    if units > width then width = units end
  else
    check.units, check.leases, check.rules = units, 0, rules_of(limit[2])
  end
end

local questions, step, stride = group[3], 0, 0
local are_same = questions < 0
if are_same then
  questions = -questions
elseif #group - first > width then
  step = width
else
  stride = width
end
