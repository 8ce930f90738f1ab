-- Twin of engine/judge.ts: every check of one question, read from the argument and judged.
--
-- A question: for each of its descriptors the place of its chain in KEYS (0 if it needs none), how
-- many limits, and for each limit its place, the units it is asked for, and the place of its leases
-- in KEYS (0 if it has none).
local checks = {}

local function read_checks(targets)
  local count = 0
  for target = 1, targets do
    local key_place, limit_count = take(), take()
    for _ = 1, limit_count do
      count = count + 1
      local check = checks[count]
      if check == nil then
        check = {}
        checks[count] = check
      end
      check.target = target
      check.key_place = key_place
      check.limit = limits[take()]
      check.units = take()
      check.slots_place = take()
    end
  end
  return count
end

-- Fills in what each check found and how long it has to wait; whether no limit refuses.
local function judge(count, serial)
  local is_admissible = true
  for index = 1, count do
    local check = checks[index]
    local limit = check.limit
    if limit[2] == SLOTS then
      local slots = slots_of(check.slots_place)
      check.state, check.was_ahead, check.slots = nil, false, slots
      if limit[4] == 0 then
        check.wait = NEVER
      else
        check.wait = slots.live < limit[4] and 0 or UNKNOWN_WAIT
      end
    else
      local state, was_ahead = find(chain_of(check.key_place), limit, serial)
      check.state, check.was_ahead, check.slots = state, was_ahead, nil
      check.wait = rules_of(limit[2]).wait(limit, state, check.units)
    end
    if check.wait ~= 0 and limit[7] == 1 then is_admissible = false end
  end
  return is_admissible
end

-- Five numbers per check: the wait (0: it passes), used, reset, charged at (-1: nothing), serial.
local function answer_check(check, charged_at, serial)
  local limit = check.limit
  answer(check.wait)
  if check.slots ~= nil then
    answer(check.slots.live)
    answer(reset_of_slots(check.slots))
  else
    local rules = rules_of(limit[2])
    answer(rules.used(limit, check.state))
    answer(rules.reset(limit, check.state))
  end
  answer(charged_at)
  answer(serial)
end

local function answer_uncharged(count)
  for index = 1, count do answer_check(checks[index], -1, 0) end
end
