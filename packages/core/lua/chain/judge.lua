-- Twin of engine/judge.ts: every check of one question, read from the argument and judged.
--
-- A question names its descriptors: how many, and for each the place of its chain in KEYS (0 if it
-- needs none), how many limits, and for each limit its place, the units it is asked for, and the
-- place of its leases in KEYS (0 if it has none).
local checks = {}

-- The check at a place, made once and used again by the questions that follow.
local function check_at(index)
  local check = checks[index]
  if check == nil then
    check = {
      target = 0, key_place = 0, limit = false, units = 0, state = false, slots = false,
      was_ahead = false, wait = 0, used = 0, reset = 0, at = -1, serial = 0,
    }
    checks[index] = check
  end
  return check
end

local function judge_slots(check, slots_place)
  slots = slots or slot_rules()
  local held = slots.at_place(slots_place)
  local max = check.limit[4]
  check.slots, check.used, check.reset = held, held.live, slots.reset(held)
  check.wait = UNKNOWN_WAIT
  if max == 0 then
    check.wait = NEVER
  elseif held.live < max then
    check.wait = 0
  end
end

local function judge_counter(check, serial)
  local limit = check.limit
  local rules = rules_of(limit[2])
  local node = node_of(check.key_place, limit[1])
  local state, was_ahead = nil, false
  if node ~= nil and node[2] == limit[2] then
    state, was_ahead = rules.alive(limit, node, serial)
  end
  check.slots, check.state, check.was_ahead = false, state, was_ahead
  check.wait, check.used, check.reset = rules.judge(limit, state, check.units)
end

-- Reads and judges the checks of a question from `place` on: how many they are, and whether no
-- limit refuses.
local function judge(question, place, serial)
  local count, is_admissible = 0, true
  for target = 1, question[place] do
    local key_place, limit_count = question[place + 1], question[place + 2]
    place = place + 2
    for _ = 1, limit_count do
      count = count + 1
      local check = check_at(count)
      local limit = limits[question[place + 1]]
      check.target, check.key_place, check.limit = target, key_place, limit
      check.units, check.at, check.serial = question[place + 2], -1, 0
      if limit[2] == SLOTS then
        judge_slots(check, question[place + 3])
      else
        judge_counter(check, serial)
      end
      if check.wait ~= 0 and limit[7] == 1 then is_admissible = false end
      place = place + 3
    end
  end
  return count, is_admissible
end

-- Five numbers per check: the wait (0: it passes), used, reset, charged at (-1: nothing), serial.
local function answer_checks(count)
  local place = answered
  for index = 1, count do
    local check = checks[index]
    answers[place + 1] = check.wait
    answers[place + 2] = check.used
    answers[place + 3] = check.reset
    answers[place + 4] = check.at
    answers[place + 5] = check.serial
    place = place + 5
  end
  answered = place
end
