-- The kinds of limits, see wire/question.lua.
local FIXED_WINDOW = 1
local SLIDING_WINDOW = 2
local SLIDING_LOG = 3
local TOKEN_BUCKET = 4
local SLOTS = 5
local POOL_UNIT = 6
