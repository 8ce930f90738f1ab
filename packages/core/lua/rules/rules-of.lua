-- The rules of a kind, made when the first limit of the kind is met: most calls need one kind, and
-- making the functions of all would cost more than the work.
#include "rules/numbers"
#include "rules/fixed-window"
#include "rules/sliding-window"
#include "rules/sliding-log"
#include "rules/token-bucket"
#include "rules/pool-unit"

-- Made by slot_rules() and record_rules() when they are needed.
local slots, records

local SLOTS, POOL_UNIT = 5, 6

local makers = {
  fixed_window_rules, sliding_window_rules, sliding_log_rules, token_bucket_rules,
  false, pool_unit_rules,
}
local made = {}

local function rules_of(kind)
  local rules = made[kind]
  if rules == nil then
    rules = makers[kind]()
    made[kind] = rules
  end
  return rules
end
