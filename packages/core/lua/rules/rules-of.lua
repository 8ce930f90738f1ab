-- The rules of a kind, made when the first limit of the kind is met: most calls need one kind, and
-- making the functions of all would cost more than the work.
#include "rules/kinds"
#include "rules/fixed-window"

local made = {}

local function make_rules(kind)
  if kind == FIXED_WINDOW then return fixed_window_rules(now) end
  #include "rules/numbers"
  #include "rules/sliding-window"
  #include "rules/sliding-log"
  #include "rules/token-bucket"
  #include "rules/pool-unit"
  if kind == SLIDING_WINDOW then return sliding_window_rules() end
  if kind == SLIDING_LOG then return sliding_log_rules() end
  if kind == TOKEN_BUCKET then return token_bucket_rules() end
  return pool_unit_rules()
end

local function rules_of(kind)
  local rules = made[kind]
  if rules == nil then
    rules = make_rules(kind)
    made[kind] = rules
  end
  return rules
end
