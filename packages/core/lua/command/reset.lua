-- reset: forgets the counters of descriptors. Leases are other keys and stay, and so do the records
-- of operations. Twin of engine/reset.ts.
--
-- KEYS: the chains. ARGV[1] is not looked at. Reply: now.
#include "time/now"
#include "rules/rules-of"
#include "chain/chain"

for key_place = 1, #KEYS do
  local chain = read_chain(key_place)
  for index = #chain, 2, -1 do
    if chain[index][2] ~= OPERATIONS then table.remove(chain, index) end
  end
  is_dirty[key_place] = true
end

save_chains()
return { now }
