-- Twin of engine/judge.ts: every check of one question, read from the argument and judged.
--
-- A check is three numbers: the place in KEYS of the chain of its descriptor (0 if that is not
-- needed), the place of its limit, and the units that it is asked for; for slots, of which it is
-- always one, the place of the leases in KEYS instead.
local checks = {}

local function judge_slots(check, slots_place)
  slots = slots or slot_rules()
  local held = slots.at_place(slots_place)
  local max = check.limit[4]
  check.units, check.slots = 1, held
  check.used, check.reset = held.live, slots.reset(held)
  if max == 0 then
    check.wait = NEVER
  else
    check.wait = held.live < max and 0 or UNKNOWN_WAIT
  end
end

-- `hint` is where the node stands if the limits of the question are those of the question before.
local function judge_counter(check, serial, hint)
  local limit, key_place = check.limit, check.key_place
  local rules = made[limit[2]] or rules_of(limit[2])
  local node = (chains[key_place] or read_chain(key_place))[hint]
  if node == nil or node[1] ~= limit[1] then node = node_of(key_place, limit[1]) end
  local state, was_ahead = nil, false
  if node ~= nil and node[2] == limit[2] then
    state, was_ahead = rules.alive(limit, node, serial)
  end
  check.slots, check.state, check.was_ahead, check.rules = false, state, was_ahead, rules
  check.wait, check.used, check.reset = rules.judge(limit, state, check.units)
end

-- Reads and judges the checks of a question from `place` on: how many they are, and whether no
-- limit refuses.
local function judge(question, place, serial)
  local count, is_admissible, hint, key_place = 0, true, 1, -1
  for at = place, #question, 3 do
    count = count + 1
    local check = checks[count]
    if check == nil then
      -- Made once, at its full size, and used again by the questions that follow.
      check = {
        key_place = 0, limit = false, units = 0, state = false, slots = false, rules = false,
        was_ahead = false, wait = 0, used = 0, reset = 0, at = -1, serial = 0,
      }
      checks[count] = check
    end
    local limit = limits[question[at + 1]]
    if question[at] ~= key_place then key_place, hint = question[at], 1 end
    check.key_place, check.limit, check.at, check.serial = key_place, limit, -1, 0
    if limit[2] == SLOTS then
      judge_slots(check, question[at + 2])
    else
      check.units, hint = question[at + 2], hint + 1
      judge_counter(check, serial, hint)
    end
    if check.wait ~= 0 and limit[7] == 1 then is_admissible = false end
  end
  return count, is_admissible
end

-- Clients read integers near 2^53 wrongly: debts of that size travel as texts.
local EXACT_MAX = 1e15

-- Five numbers per check: the wait (0: it passes), used, reset, charged at (-1: nothing), serial. For
-- a unit of a pool a sixth: what the asking class has used.
local function answer_checks(count)
  local place = answered
  for index = 1, count do
    local check = checks[index]
    local wait, used, reset = check.wait, check.used, check.reset
    if used > EXACT_MAX or reset > EXACT_MAX then
      wait = string.format("%.0f", wait)
      used = string.format("%.0f", used)
      reset = string.format("%.0f", reset)
    end
    answers[place + 1] = wait
    answers[place + 2] = used
    answers[place + 3] = reset
    answers[place + 4] = check.at
    answers[place + 5] = check.serial
    place = place + 5
    if check.limit[2] == POOL_UNIT then
      local class_used = check.rules.class_used(check.limit, check.state)
      place = place + 1
      answers[place] = class_used > EXACT_MAX and string.format("%.0f", class_used) or class_used
    end
  end
  answered = place
end
