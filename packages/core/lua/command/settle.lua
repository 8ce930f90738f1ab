-- settle: corrects what permits charged to what they really cost, and frees their slots. Twin of
-- engine/settle.ts.
--
-- KEYS: the chains and leases. ARGV[1]: see wire/question.lua; then how many settlements, and for
-- each: serial, operation id, once for how long (0: sent at most once), how many descriptors, and
-- for each the place of its chain (0: none), how many corrections, and for each limit, charged,
-- actual, charged at (-1: nothing), serial, place of its leases.
-- Reply: now.
#include "time/now"
#include "wire/question"
#include "wire/answer"
#include "rules/rules-of"
#include "chain/chain"
#include "chain/slots"
#include "chain/records"
#include "chain/correct"

-- The change of the correction that was just read; one table serves all.
local change = {}

for _ = 1, take() do
  local serial, operation, once_ms, targets = take(), take(), take(), take()
  for _ = 1, targets do
    local chain = chain_of(take())
    local is_new = once_ms == 0 or record_of(chain, operation) == nil
    if is_new and once_ms > 0 then write_record(chain, operation, now + once_ms, {}) end
    for _ = 1, take() do
      local limit = limits[take()]
      change.charged, change.actual, change.at, change.serial = take(), take(), take(), take()
      local slots_place = take()
      if is_new then
        local slots = slots_place > 0 and slots_of(slots_place) or nil
        correct(chain, slots, limit, change, serial, operation)
      end
    end
  end
end

save_chains()
return whole_answer()
