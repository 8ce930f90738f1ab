-- The reply of a call: numbers joined by commas, beginning with the server's "now". One text costs
-- the client less than an array of integers. Lua itself would round above 14 digits.
local answers = { now }
local answered = 1

local function answer(number)
  answered = answered + 1
  if number >= 1e14 then
    answers[answered] = string.format("%.0f", number)
  else
    answers[answered] = number
  end
end

local function whole_answer()
  return table.concat(answers, ",")
end
