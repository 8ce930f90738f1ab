-- Twin of engine/judge.ts. Part of the loop over questions: judges the checks of the one whose places
-- stand in the group behind `first`, each less `shift`. Then `is_admissible` says whether no limit
-- refuses.
local is_admissible, hint, last = true, 1, -1
for index = 1, count do
  local check = checks[index]
  local limit, key_place = check.limit, check.chain
  if key_place > 0 then key_place = group[first + key_place] + shift end
  if key_place ~= last then last, hint = key_place, 1 end
  check.key_place, check.at, check.serial = key_place, -1, 0
  if check.leases > 0 then
    slots = slots or slot_rules(now)
    slots.judge(check, group[first + check.leases] + shift)
  else
    -- Where the node stands if the limits of the question are those of the one that wrote the chain.
    hint = hint + 1
    local node = (chains[key_place] or read_chain(key_place))[hint]
    if node == nil or node[1] ~= limit[1] then node = node_of(key_place, limit[1]) end
    local rules, state, was_ahead = check.rules, nil, false
    if node ~= nil and node[2] == limit[2] then
      state, was_ahead = rules.alive(limit, node, serial)
    end
    check.state, check.was_ahead = state, was_ahead
    check.wait, check.used, check.reset = rules.judge(limit, state, check.units)
  end
  if check.wait ~= 0 and limit[7] == 1 then is_admissible = false end
end
