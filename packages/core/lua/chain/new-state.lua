-- The state of a limit that had none is new, or takes the place of what cannot be gone on with;
-- whether it does.
local function write_new(check, state)
  local key_place = check.key_place
  local is_replaced = check.state == nil
    and (is_of_another_shape(key_place, check.limit) or is_foreign(key_place))
  write_node(key_place, state)
  return is_replaced
end
