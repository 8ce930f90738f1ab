-- peek: what admit would answer now. Writes nothing. Twin of engine/peek.ts.
--
-- KEYS and ARGV[1]: as for admit; deadlines and serials are not looked at.
-- Reply: now; for each question 1 if it would be admitted and 0 if not, and the numbers of each check
-- (chain/answer-checks.lua).
#include "time/now"
#include "wire/question"
#include "wire/answer"
#include "rules/rules-of"
#include "chain/chain"
#include "chain/slots"

local checks = {}
local serial = 0

for index = 2, #asked do
  local group, at = asked[index], 5
  #include "wire/group"
  local shift = 0
  for _ = 1, questions do
    #include "chain/judge"
    answered = answered + 1
    answers[answered] = is_admissible and 1 or 0
    #include "chain/answer-checks"
    first, shift = first + step, shift + stride
  end
end

return answers
