-- Part of the loop over questions about the same keys: as many that follow as are told what this one
-- was, but for what is used, are charged at once.
local more = questions - number
if more > 0 then
  for place = 1, count do
    local check = checks[place]
    local at_most = more
    if check.limit[2] == POOL_UNIT then
      at_most = 0
    elseif check.at >= 0 then
      local rules = check.rules
      at_most = rules.more and rules.more(check.limit, check.state, check.units) or 0
    end
    if at_most < more then more = at_most end
  end
end
if more > 0 then
  for place = 1, count do
    local check = checks[place]
    if check.at >= 0 then
      check.rules.charge(check.limit, check.state, check.units * more, serial)
    end
  end
  answered = answered + 1
  answers[answered] = -more
  number, serial = number + more, serial + more
end
