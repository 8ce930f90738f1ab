-- admit: judges every question of the call, one after the other, each at once and all or nothing.
-- Twin of engine/admit.ts and engine/operations.ts.
--
-- KEYS: the chains and leases that the questions name. ARGV[1]: see wire/question.lua; questions stand
-- in groups (wire/group.lua).
-- Reply: now; for each question a status (0 refused, 1 admitted, 2 undone before it arrived, 3 too
-- late: nothing was judged, 4 admitted where states of another shape were replaced), after 4 how many
-- were and the places of their checks, and unless it was too late the numbers of each check
-- (chain/answer-checks.lua). In place of all that -n, if n more are told what the question before
-- was, apart from what is used of that which they charged: that grows by their units with each.
#include "time/now"
#include "wire/question"
#include "wire/answer"
#include "rules/rules-of"
#include "chain/chain"
#include "chain/slots"
#include "chain/records"
#include "chain/new-state"
#include "chain/pools"
#include "chain/undoable"

local REFUSED = 0
local ADMITTED = 1
local UNDONE = 2
local LATE = 3
local REPLACING = 4

local checks = {}

for index = 2, #asked do
  local group = asked[index]
  local deadline, serial = group[1], group[2]
  if deadline > 0 and now > deadline then
    answered = answered + 1
    answers[answered] = LATE
    local others = math.abs(group[3]) - 1
    if others > 0 then
      answered = answered + 1
      answers[answered] = -others
    end
  else
    local at, operation, undoable_ms = 5, "", 0
    if type(group[5]) == "string" then at, operation, undoable_ms = 8, group[5], group[6] end
    #include "wire/group"
    local shift, number = 0, 1
    while number <= questions do
      #include "chain/judge"
      local status = nil
      if undoable_ms > 0 then
        records = records or record_rules(now, stored)
        undoable = undoable or undoable_rules(checks, records)
        status = undoable.find(count, group[7])
      end
      local is_new, replaced = status == nil, nil
      if is_new then status = is_admissible and ADMITTED or REFUSED end
      #include "chain/charge"
      if undoable_ms > 0 and status == ADMITTED then
        if is_new then undoable.write_charges(count, undoable_ms) else undoable.recall(count) end
      end
      answered = answered + 1
      answers[answered] = replaced and REPLACING or status
      if replaced then
        answered = answered + 1
        answers[answered] = #replaced
        for _, check_place in ipairs(replaced) do
          answered = answered + 1
          answers[answered] = check_place
        end
      end
      #include "chain/answer-checks"
      if are_same then
        #include "chain/charge-more"
      end
      number, serial = number + 1, serial + 1
      first, shift = first + step, shift + stride
    end
  end
end

#include "chain/save"
return answers
