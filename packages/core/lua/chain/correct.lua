-- Twin of engine/correct.ts.
#include "chain/new-state"

new_state = new_states(now, chains, is_dirty, is_ours, node_of, rules_of)

local function remove_node(key_place, name)
  local _, index = node_of(key_place, name)
  table.remove(chains[key_place], index)
  is_dirty[key_place] = true
end

local function correct(key_place, slots_place, limit, change, serial, operation)
  if change.charged == change.actual then return end
  if limit[2] == SLOTS then
    slots = slots or slot_rules(now)
    slots.free(slots.at_place(slots_place), operation)
    return
  end
  local rules = rules_of(limit[2])
  local state, was_ahead = nil, false
  local node = node_of(key_place, limit[1])
  if node ~= nil and node[2] == limit[2] then
    state, was_ahead = rules.alive(limit, node, serial)
  end
  if state == nil and node ~= nil and new_state.is_of_another_shape(key_place, limit) then return end
  local corrected, is_changed = rules.correct(limit, state, change, serial)
  if corrected == nil then
    if state ~= nil then remove_node(key_place, limit[1]) end
  elseif is_changed or was_ahead then
    new_state.write_node(key_place, corrected)
  end
end
