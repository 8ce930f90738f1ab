-- undo: takes back by id what undoable admits charged, and leaves a tombstone that refuses one that
-- has yet to arrive. Twin of engine/undo.ts.
--
-- KEYS: the chains and leases. ARGV[1]: see wire/question.lua; then how many operations, and for
-- each: serial, operation id, tombstone for how long, how many descriptors, and the checks
-- (chain/judge.lua; units are not looked at).
-- Reply: now; for each descriptor 1 if a charge was found and taken back, else 0.
#include "time/now"
#include "wire/question"
#include "wire/answer"
#include "rules/rules-of"
#include "chain/chain"
#include "chain/slots"
#include "chain/records"
#include "chain/correct"

local change = {}

for _ = 1, take() do
  local serial, operation, tombstone_ms, targets = take(), take(), take(), take()
  for _ = 1, targets do
    local chain = chain_of(take())
    local record = record_of(chain, operation)
    answer(record ~= nil and record[3] and 1 or 0)
    write_record(chain, operation, now + tombstone_ms, false)
    for _ = 1, take() do
      local limit = limits[take()]
      take()
      local slots_place = take()
      local charge = charge_on_record(record, limit)
      if charge ~= nil then
        change.charged, change.actual = charge[3], 0
        change.at, change.serial = charge[4], charge[5]
        local slots = slots_place > 0 and slots_of(slots_place) or nil
        correct(chain, slots, limit, change, serial, operation)
      end
    end
  end
end

save_chains()
return whole_answer()
