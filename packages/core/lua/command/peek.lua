-- peek: what admit would answer now. Writes nothing. Twin of engine/peek.ts.
--
-- KEYS and ARGV[1]: as for admit, where a question is only how many descriptors, and the checks.
-- Reply: now; for each question 1 if it would be admitted and 0 if not, and five numbers per check.
#include "time/now"
#include "wire/question"
#include "wire/answer"
#include "rules/rules-of"
#include "chain/chain"
#include "chain/slots"
#include "chain/judge"

for _ = 1, take() do
  local count = read_checks(take())
  answer(judge(count, 0) and 1 or 0)
  answer_uncharged(count)
end

return whole_answer()
