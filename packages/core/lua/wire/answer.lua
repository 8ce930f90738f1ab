-- The reply of a call: whole numbers, the first the server's "now".
local answers = { now }
local answered = 1

local function answer(number)
  answered = answered + 1
  answers[answered] = number
end
