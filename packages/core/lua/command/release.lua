-- release: frees the slots of permits by the ids of their leases. Twin of engine/release.ts.
--
-- KEYS: the leases. ARGV[1]: see wire/question.lua (no limits); a command is { for each lease the
-- place of its set in KEYS and its id }. Reply: now.
#include "time/now"
#include "wire/question"
#include "chain/slots"

slots = slot_rules(now)

for index = 2, #asked do
  local released = asked[index]
  for place = 1, #released, 2 do
    slots.free(slots.at_place(released[place]), released[place + 1])
  end
end

return { now }
