-- release: frees the slots of permits by the ids of their leases. Twin of engine/release.ts.
--
-- KEYS: the leases. ARGV[1]: see wire/question.lua (no limits); then how many leases, and for each
-- the place of its set in KEYS and its id. Reply: now.
#include "time/now"
#include "wire/question"
#include "wire/answer"
#include "chain/slack"
#include "chain/slots"

for _ = 1, take() do
  local slots = slots_of(take())
  free_lease(slots, take())
end

return whole_answer()
