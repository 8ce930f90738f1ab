-- Part of the loop over questions: if the question is new and admissible, charges every check that
-- is to be; else, and for the others, writes what the clock stepping back has changed. `replaced` are
-- then the checks whose state took the place of one of another shape, if there are any.
for place = 1, count do
  local check = checks[place]
  local limit, is_replaced = check.limit, false
  if is_new and is_admissible and check.wait == 0 and check.units > 0 then
    if check.leases > 0 then
      is_replaced = slots.charge(check, operation)
    elseif limit[2] == POOL_UNIT then
      new_state = new_state or new_states(now, chains, is_dirty, is_ours, node_of, rules_of)
      pools = pools or pool_writes(checks, is_dirty, new_state)
      is_replaced = pools.charge(place, count, serial)
    else
      local state
      state, check.used, check.reset, check.at =
        check.rules.charge(limit, check.state, check.units, serial)
      check.serial = state[6]
      if state == check.state then
        is_dirty[check.key_place] = true
      else
        new_state = new_state or new_states(now, chains, is_dirty, is_ours, node_of, rules_of)
        is_replaced = new_state.write(check, state)
        check.state = state
      end
    end
  elseif check.leases > 0 then
    slots.bring_back(check.slots)
  elseif check.was_ahead then
    is_dirty[check.key_place] = true
  elseif check.wait ~= 0 and limit[2] == POOL_UNIT then
    new_state = new_state or new_states(now, chains, is_dirty, is_ours, node_of, rules_of)
    pools = pools or pool_writes(checks, is_dirty, new_state)
    pools.open(check, serial)
  end
  if is_replaced then
    replaced = replaced or {}
    replaced[#replaced + 1] = place
  end
end
