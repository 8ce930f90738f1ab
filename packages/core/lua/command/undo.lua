-- undo: takes back by id what undoable admits charged, and leaves a tombstone that refuses one that
-- has yet to arrive. Twin of engine/undo.ts.
--
-- KEYS: the chains, leases and records. ARGV[1]: see wire/question.lua; a command is { serial,
-- operation id, tombstone for how long, how many descriptors, and for each the places of its chain
-- (0: none) and of the record, how many limits, and for each limit its place and the place of its
-- leases (0: it has none) }.
-- Reply: now; for each descriptor 1 if a charge was found and taken back, else 0.
#include "time/now"
#include "wire/question"
#include "wire/answer"
#include "rules/rules-of"
#include "chain/chain"
#include "chain/slots"
#include "chain/records"
#include "chain/correct"

records = record_rules(now, stored)

local function undo_target(undone, place)
  local serial, operation, tombstone_ms = undone[1], undone[2], undone[3]
  local key_place, record_place = undone[place], undone[place + 1]
  local limit_count = undone[place + 2]
  local record = records.find(record_place)
  answer(record ~= nil and record[3] and 1 or 0)
  records.write(record_place, tombstone_ms, false)
  for at = place + 3, place + 2 + limit_count * 2, 2 do
    local limit = limits[undone[at]]
    local charge = records.charge_to(record, limit)
    if charge ~= nil then
      local change = { charged = charge[3], actual = 0, at = charge[4], serial = charge[5] }
      correct(key_place, undone[at + 1], limit, change, serial, operation)
    end
  end
  return place + 3 + limit_count * 2
end

for index = 2, #asked do
  local undone = asked[index]
  local place = 5
  for _ = 1, undone[4] do place = undo_target(undone, place) end
end

#include "chain/save"
return answers
