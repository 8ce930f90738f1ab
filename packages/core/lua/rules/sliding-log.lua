-- Twin of engine/rules/sliding-log.ts. State: instants (7) and costs (8), the oldest first.
local function sliding_log_rules()
  local ENTRIES_MAX = 2000

  local function first_alive(limit, state)
    local instants = state[7]
    local gone = now - limit[5]
    local low, high = 1, #instants + 1
    while low < high do
      local middle = floor((low + high) / 2)
      if instants[middle] <= gone then low = middle + 1 else high = middle end
    end
    return low
  end

  -- The entries that still count, in arrays of their own.
  local function alive_entries(limit, state)
    local first = first_alive(limit, state)
    if first == 1 then return state[7], state[8] end
    local instants, costs = {}, {}
    for index = first, #state[7] do
      instants[#instants + 1] = state[7][index]
      costs[#costs + 1] = state[8][index]
    end
    return instants, costs
  end

  local function is_same_shape(limit, state)
    return limit[3] == state[3] and limit[5] == state[4]
  end

  -- Used, and how long until the newest charge is gone.
  local function standing(limit, state)
    if state == nil then return 0, 0 end
    local total, left = 0, 0
    for index = #state[8], first_alive(limit, state), -1 do
      if state[8][index] > 0 and left == 0 then left = state[7][index] + limit[5] - now end
      total = add_units(total, state[8][index])
    end
    return total, left
  end

  local function add(limit, state, cost, serial)
    if state == nil then
      return { limit[1], SLIDING_LOG, limit[3], limit[5], 0, serial, { now }, { cost } }
    end
    local instants, costs = alive_entries(limit, state)
    local last = #instants
    if instants[last] == now then
      costs[last] = add_units(costs[last], cost)
    else
      instants[last + 1] = now
      costs[last + 1] = cost
    end
    if #instants > ENTRIES_MAX then
      costs[2] = add_units(costs[1], costs[2])
      table.remove(costs, 1)
      table.remove(instants, 1)
    end
    state[7] = instants
    state[8] = costs
    return state
  end

  -- From the newest on: the first entry with which the cost does not fit is the one that has to go.
  local function wait_of(limit, state, cost)
    if can_never_pass(cost, limit[4]) then return NEVER end
    if state == nil then return 0 end
    local used = 0
    for index = #state[8], first_alive(limit, state), -1 do
      used = add_units(used, state[8][index])
      if not fits(used, cost, limit[4]) then return state[7][index] + limit[5] - now end
    end
    return 0
  end

  return {
    is_same_shape = is_same_shape,
    alive = function(limit, state, serial)
      if not is_same_shape(limit, state) then return nil, false end
      local instants, costs = state[7], state[8]
      local last = instants[#instants]
      if last + state[4] <= now then return nil, false end
      if last <= now then return state, false end
      local moved = 0
      while #instants > 0 and instants[#instants] >= now do
        moved = add_units(moved, table.remove(costs))
        table.remove(instants)
      end
      instants[#instants + 1] = now
      costs[#costs + 1] = moved
      state[6] = serial
      return state, true
    end,
    judge = function(limit, state, cost)
      return wait_of(limit, state, cost), standing(limit, state)
    end,
    charge = function(limit, state, cost, serial)
      local charged = add(limit, state, cost, serial)
      local used, left = standing(limit, charged)
      return charged, used, left, now
    end,
    correct = function(limit, state, change, serial)
      local delta = change.actual - change.charged
      if state ~= nil and state[6] == change.serial and change.at >= 0 then
        local instants, costs = alive_entries(limit, state)
        for index, instant in ipairs(instants) do
          if instant == change.at then
            costs[index] = add_units(costs[index], delta)
            state[7] = instants
            state[8] = costs
            return state, true
          end
        end
      end
      if delta < 0 then return state, false end
      return add(limit, state, delta, serial), true
    end,
    expires = function(state) return state[7][#state[7]] + state[4] end,
  }
end
