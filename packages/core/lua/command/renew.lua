-- renew: prolongs leases. Twin of engine/renew.ts.
--
-- KEYS: the leases. ARGV[1]: see wire/question.lua (no limits); a command is { for each lease the
-- place of its set in KEYS, its id, leaseMs, and when it is over by what its holder was told }.
-- Reply: now; for each lease 1 prolonged, 2 adopted or 0 lost, and when it expires.
#include "time/now"
#include "wire/question"
#include "wire/answer"
#include "chain/slots"

slots = slot_rules(now)

local LOST, RENEWED, ADOPTED = 0, 1, 2

local function renew_lease(held, id, lease_ms, told_expiry)
  local fate = LOST
  if slots.has_live(held, id) then
    fate = RENEWED
  elseif told_expiry > now then
    fate = ADOPTED
  end
  answer(fate)
  answer(fate == LOST and now or slots.take(held, lease_ms, id))
end

for index = 2, #asked do
  local renewed = asked[index]
  for place = 1, #renewed, 4 do
    local held = slots.at_place(renewed[place])
    renew_lease(held, renewed[place + 1], renewed[place + 2], renewed[place + 3])
  end
end

return answers
