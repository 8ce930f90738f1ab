-- admit: judges every question of the call, one after the other, each at once and all or nothing.
-- Twin of engine/admit.ts and engine/operations.ts.
--
-- KEYS: the chains and leases that the questions name. ARGV[1]: see wire/question.lua; a command is
-- { deadline (server time, 0 for none), serial, checks (chain/judge.lua) }; one that takes slots or
-- can be undone has before the checks its operation id, for how long it can be undone (0: not), and
-- a list: for each descriptor the places of its chain and of the record in KEYS.
-- Reply: now; for each question a status (1 admitted, 0 refused, 2 undone before it arrived,
-- 3 too late: nothing was judged), and unless it was too late how many states of another shape were
-- replaced, the places of their checks, and the numbers of each check (chain/judge.lua).
#include "time/now"
#include "wire/question"
#include "wire/answer"
#include "rules/rules-of"
#include "chain/chain"
#include "chain/slots"
#include "chain/records"
#include "chain/judge"
#include "chain/new-state"
#include "chain/pools"

local REFUSED, ADMITTED, UNDONE, LATE = 0, 1, 2, 3

-- Where the clock stepped back, what was brought back is written even if nothing is charged.
local function write_ahead(check, serial)
  if check.slots then
    slots.bring_back(check.slots)
  elseif check.was_ahead then
    is_dirty[check.key_place] = true
  elseif check.wait ~= 0 and check.limit[2] == POOL_UNIT then
    pools = pools or pool_writes()
    pools.open(check, serial)
  end
end

local function take_slot(check, operation)
  local held = check.slots
  local was_foreign = held.is_foreign
  check.at = slots.take(held, check.limit[5], operation)
  check.used, check.reset = held.live, slots.reset(held)
  return was_foreign
end

local function charge_question(count, serial, operation)
  local replaced
  for index = 1, count do
    local check = checks[index]
    local is_replaced = false
    if check.wait ~= 0 or check.units == 0 then
      write_ahead(check, serial)
    elseif check.slots then
      is_replaced = take_slot(check, operation)
    elseif check.limit[2] == POOL_UNIT then
      pools = pools or pool_writes()
      is_replaced = pools.charge(index, count, serial)
    else
      local state
      state, check.used, check.reset, check.at =
        check.rules.charge(check.limit, check.state, check.units, serial)
      check.serial = state[6]
      if state == check.state then
        is_dirty[check.key_place] = true
      else
        is_replaced = write_new(check, state)
      end
    end
    if is_replaced then
      replaced = replaced or {}
      replaced[#replaced + 1] = index
    end
  end
  answer(ADMITTED)
  answer(replaced and #replaced or 0)
  for _, index in ipairs(replaced or {}) do answer(index) end
end

local function refuse(count, serial)
  for index = 1, count do write_ahead(checks[index], serial) end
  answer(REFUSED)
  answer(0)
end

-- Questions that can be undone, or told again: not many, so these are made when they are needed.
local function undoable_rules()
  records = records or record_rules()
  -- The place of the record by that of the chain, of the question at hand.
  local record_places = {}

  -- What an operation that arrives again is told; nothing if it is new.
  local function told_before(count)
    local is_undone, is_known = false, true
    for index = 1, count do
      local record = records.find(record_places[checks[index].key_place])
      if record == nil then
        is_known = false
      elseif not record[3] then
        is_undone = true
      end
    end
    if is_undone then return UNDONE end
    if is_known then return ADMITTED end
    return nil
  end

  return {
    -- Whether the operation was known and has been answered.
    answer_again = function(count, places, serial)
      for at = 1, #places, 2 do record_places[places[at]] = places[at + 1] end
      local told = told_before(count)
      if told == nil then return false end
      for index = 1, count do
        local check = checks[index]
        write_ahead(check, serial)
        local record = records.find(record_places[check.key_place])
        local charge = records.charge_to(record, check.limit)
        if told == ADMITTED and charge ~= nil then
          check.wait, check.at, check.serial = 0, charge[4], charge[5]
        end
      end
      answer(told)
      answer(0)
      return true
    end,
    -- The charges of one descriptor go on record together.
    write_charges = function(count, undoable_ms)
      local first = 1
      while first <= count do
        local key_place, own, last = checks[first].key_place, {}, first
        while last <= count and checks[last].key_place == key_place do
          local check = checks[last]
          if check.at >= 0 then
            local is_slot = check.slots and 1 or 0
            own[#own + 1] = { records.name_of(check.limit), is_slot, check.units, check.at, check.serial }
          end
          last = last + 1
        end
        records.write(record_places[key_place], undoable_ms, own)
        first = last
      end
    end,
  }
end

local undoable

for index = 2, #asked do
  local question = asked[index]
  local deadline, serial = question[1], question[2]
  if deadline > 0 and now > deadline then
    answer(LATE)
  else
    local place, operation, undoable_ms = 3, "", 0
    if type(question[3]) == "string" then
      place, operation, undoable_ms = 6, question[3], question[4]
    end
    local count, is_admissible = judge(question, place, serial)
    if undoable_ms > 0 then undoable = undoable or undoable_rules() end
    if undoable_ms == 0 or not undoable.answer_again(count, question[5], serial) then
      if is_admissible then
        charge_question(count, serial, operation)
        if undoable_ms > 0 then undoable.write_charges(count, undoable_ms) end
      else
        refuse(count, serial)
      end
    end
    answer_checks(count)
  end
end

save_chains()
return answers
