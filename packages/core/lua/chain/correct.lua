-- Twin of engine/correct.ts.
local function correct(chain, slots, limit, change, serial, operation)
  if change.charged == change.actual then return end
  if limit[2] == SLOTS then
    free_lease(slots, operation)
    return
  end
  if is_of_another_shape(chain, limit) then return end
  local state, was_ahead = find(chain, limit, serial)
  local corrected, is_changed = rules_of(limit[2]).correct(limit, state, change, serial)
  if corrected == nil then
    if state ~= nil then remove_node(chain, limit[1]) end
  elseif is_changed or was_ahead then
    write_node(chain, corrected)
  end
end
