-- renew: prolongs leases. Twin of engine/renew.ts.
--
-- KEYS: the leases. ARGV[1]: see wire/question.lua (no limits); then how many leases, and for each
-- the place of its set in KEYS, its id, leaseMs, and when it is over by what its holder was told.
-- Reply: now; for each lease 1 prolonged, 2 adopted or 0 lost, and when it expires.
#include "time/now"
#include "wire/question"
#include "wire/answer"
#include "chain/slack"
#include "chain/slots"

local LOST, RENEWED, ADOPTED = 0, 1, 2

for _ = 1, take() do
  local slots = slots_of(take())
  local id, lease_ms, told_expiry = take(), take(), take()
  local fate = LOST
  if has_live_lease(slots, id) then
    fate = RENEWED
  elseif told_expiry > now then
    fate = ADOPTED
  end
  answer(fate)
  answer(fate == LOST and now or take_lease(slots, lease_ms, id))
end

return whole_answer()
