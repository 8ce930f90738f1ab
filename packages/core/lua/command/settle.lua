-- settle: corrects what permits charged to what they really cost, and frees their slots. Twin of
-- engine/settle.ts.
--
-- KEYS: the chains, leases and records. ARGV[1]: see wire/question.lua; a command is { serial,
-- operation id, once for how long (0: sent at most once), how many descriptors, and for each the
-- places of its chain and of the record (0: none), how many corrections, and for each limit, charged,
-- actual, charged at (-1: nothing), serial, place of its leases }.
-- Reply: now.
#include "time/now"
#include "wire/question"
#include "rules/rules-of"
#include "chain/chain"
#include "chain/slots"
#include "chain/records"
#include "chain/correct"

records = record_rules(now, stored)

local function settle_target(settlement, place)
  local serial, operation, once_ms = settlement[1], settlement[2], settlement[3]
  local key_place, record_place = settlement[place], settlement[place + 1]
  local corrections = settlement[place + 2]
  local is_new = once_ms == 0 or records.find(record_place) == nil
  if is_new and once_ms > 0 then records.write(record_place, once_ms, {}) end
  for at = place + 3, place + 2 + corrections * 6, 6 do
    if is_new then
      local change = {
        charged = settlement[at + 1],
        actual = settlement[at + 2],
        at = settlement[at + 3],
        serial = settlement[at + 4],
      }
      local limit = limits[settlement[at]]
      correct(key_place, settlement[at + 5], limit, change, serial, operation)
    end
  end
  return place + 3 + corrections * 6
end

for index = 2, #asked do
  local settlement = asked[index]
  local place = 5
  for _ = 1, settlement[4] do place = settle_target(settlement, place) end
end

#include "chain/save"
return { now }
