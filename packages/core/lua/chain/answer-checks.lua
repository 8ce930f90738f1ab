-- Part of the loop over questions: tells the checks. Five numbers each: the wait (0: it passes), used,
-- reset, charged at (-1: nothing), serial. For a unit of a pool a sixth: what the asking class has
-- used.

-- Clients read integers near 2^53 wrongly: debts of that size travel as texts.
local EXACT_MAX = 1e15

for index = 1, count do
  local check = checks[index]
  local wait, used, reset = check.wait, check.used, check.reset
  if used > EXACT_MAX or reset > EXACT_MAX then
    wait = string.format("%.0f", wait)
    used = string.format("%.0f", used)
    reset = string.format("%.0f", reset)
  end
  answers[answered + 1] = wait
  answers[answered + 2] = used
  answers[answered + 3] = reset
  answers[answered + 4] = check.at
  answers[answered + 5] = check.serial
  answered = answered + 5
  if check.limit[2] == POOL_UNIT then
    local class_used = check.rules.class_used(check.limit, check.state)
    answered = answered + 1
    answers[answered] = class_used > EXACT_MAX and string.format("%.0f", class_used) or class_used
  end
end
