-- reset: forgets the counters of descriptors. Leases and records of operations are other keys and
-- stay. Twin of engine/reset.ts.
--
-- KEYS: the chains. ARGV[1] is not looked at. Reply: now.
#include "time/now"

redis.call("DEL", unpack(KEYS))
return { now }
