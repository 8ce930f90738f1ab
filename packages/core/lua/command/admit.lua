-- admit: judges every question of the call, one after the other, each at once and all or nothing.
-- Twin of engine/admit.ts and engine/operations.ts.
--
-- KEYS: the chains and leases that the questions name. ARGV[1]: see wire/question.lua; then how
-- many questions, and for each: deadline (server time, 0 for none), serial, operation id, undoable
-- for how long (0: not), how many descriptors, and the checks (chain/judge.lua).
-- Reply: now; for each question a status (1 admitted, 0 refused, 2 undone before it arrived,
-- 3 too late: nothing was judged), and unless it was too late how many states of another shape were
-- replaced, the places of their checks, and five numbers per check.
#include "time/now"
#include "wire/question"
#include "wire/answer"
#include "rules/rules-of"
#include "chain/chain"
#include "chain/slots"
#include "chain/records"
#include "chain/judge"

local REFUSED, ADMITTED, UNDONE, LATE = 0, 1, 2, 3

local function write_ahead(check)
  if check.slots ~= nil then
    if check.slots.is_ahead then
      bring_leases_back(check.slots)
      expire_slots(check.slots)
    end
  elseif check.was_ahead then
    write_node(chain_of(check.key_place), check.state)
  end
end

local function charge_check(check, serial, operation)
  local limit = check.limit
  if check.slots ~= nil then
    local is_foreign = check.slots.is_foreign
    local expiry = take_lease(check.slots, limit[5], operation)
    return expiry, 0, is_foreign
  end
  local rules = rules_of(limit[2])
  local chain = chain_of(check.key_place)
  local is_replaced = check.state == nil
    and (chain.is_foreign or is_of_another_shape(chain, limit))
  local state = rules.charge(limit, check.state, check.units, serial)
  check.state = state
  write_node(chain, state)
  return rules.charged_at(state), state[6], is_replaced
end

-- The charges of one descriptor go on record together, in its chain.
local function write_charges(charges, count, operation, expires)
  local first = 1
  while first <= count do
    local target, own, last = checks[first].target, {}, first
    while last <= count and checks[last].target == target do
      if charges[last] ~= nil then own[#own + 1] = charges[last] end
      last = last + 1
    end
    write_record(chain_of(checks[first].key_place), operation, expires, own)
    first = last
  end
end

local function charge_question(count, serial, operation, undoable_ms)
  local at, serials, charges, replaced = {}, {}, {}, {}
  for index = 1, count do
    local check = checks[index]
    at[index], serials[index] = -1, 0
    if check.wait ~= 0 or check.units == 0 then
      write_ahead(check)
    else
      local is_replaced
      at[index], serials[index], is_replaced = charge_check(check, serial, operation)
      if is_replaced then replaced[#replaced + 1] = index end
      local is_slot = check.slots ~= nil and 1 or 0
      charges[index] = { check.limit[1], is_slot, check.units, at[index], serials[index] }
    end
  end
  for _, index in ipairs(replaced) do chain_of(checks[index].key_place).is_foreign = false end
  if undoable_ms > 0 then write_charges(charges, count, operation, now + undoable_ms) end
  answer(ADMITTED)
  answer(#replaced)
  for _, index in ipairs(replaced) do answer(index) end
  for index = 1, count do answer_check(checks[index], at[index], serials[index]) end
end

-- What an operation that arrives again is told; nothing if it is new.
local function told_before(count, operation)
  local is_undone, is_known = false, true
  for index = 1, count do
    local record = record_of(chain_of(checks[index].key_place), operation)
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

local function answer_again(count, operation)
  answer(ADMITTED)
  answer(0)
  for index = 1, count do
    local check = checks[index]
    local record = record_of(chain_of(check.key_place), operation)
    local charge = charge_on_record(record, check.limit)
    if charge == nil then
      answer_check(check, -1, 0)
    else
      check.wait = 0
      answer_check(check, charge[4], charge[5])
    end
  end
end

local function refuse(count, status)
  if status == REFUSED then
    for index = 1, count do write_ahead(checks[index]) end
  end
  answer(status)
  answer(0)
  answer_uncharged(count)
end

for _ = 1, take() do
  local deadline, serial, operation, undoable_ms = take(), take(), take(), take()
  local count = read_checks(take())
  if deadline > 0 and now > deadline then
    answer(LATE)
  else
    local told = undoable_ms > 0 and told_before(count, operation) or nil
    local is_admissible = judge(count, serial)
    if told == UNDONE then
      refuse(count, UNDONE)
    elseif told == ADMITTED then
      answer_again(count, operation)
    elseif is_admissible then
      charge_question(count, serial, operation, undoable_ms)
    else
      refuse(count, REFUSED)
    end
  end
end

save_chains()
return whole_answer()
