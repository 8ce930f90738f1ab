-- peek: what admit would answer now. Writes nothing. Twin of engine/peek.ts.
--
-- KEYS and ARGV[1]: as for admit, where a command is only { checks (chain/judge.lua) }.
-- Reply: now; for each question 1 if it would be admitted and 0 if not, and five numbers per check.
#include "time/now"
#include "wire/question"
#include "wire/answer"
#include "rules/rules-of"
#include "chain/chain"
#include "chain/slots"
#include "chain/judge"

for index = 2, #asked do
  local count, is_admissible = judge(asked[index], 1, 0)
  answer(is_admissible and 1 or 0)
  answer_checks(count)
end

return answers
