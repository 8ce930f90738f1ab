-- Twin of engine/rules/fixed-window.ts. State: start (7), used (8).
local function fixed_window_rules()
  local function end_of(limit, state)
    local start = state[7]
    if limit[6] == 1 then start = start - start % limit[5] end
    return start + limit[5]
  end

  local function is_open(limit, state)
    return state ~= nil and now < end_of(limit, state)
  end

  local function charge(limit, state, cost, serial)
    if not is_open(limit, state) then
      return { limit[1], 1, limit[3], limit[5], 0, serial, now, cost }
    end
    state[8] = add_units(state[8], cost)
    return state
  end

  return {
    is_same_shape = function(limit, state)
      return limit[3] == state[3] and limit[5] == state[4]
    end,
    bring_back = function(state)
      if state[7] <= now then return false end
      state[7] = now
      return true
    end,
    wait = function(limit, state, cost)
      if can_never_pass(cost, limit[4]) then return NEVER end
      if not is_open(limit, state) or fits(state[8], cost, limit[4]) then return 0 end
      return end_of(limit, state) - now
    end,
    charge = charge,
    charged_at = function(state) return state[7] end,
    correct = function(limit, state, change, serial)
      local delta = change.actual - change.charged
      if delta > 0 then return charge(limit, state, delta, serial), true end
      if state == nil or state[6] ~= change.serial then return state, false end
      if change.at < 0 or state[7] > change.at then return state, false end
      if not is_open(limit, state) then return state, false end
      state[8] = add_units(state[8], delta)
      return state, true
    end,
    used = function(limit, state)
      return is_open(limit, state) and state[8] or 0
    end,
    reset = function(limit, state)
      return is_open(limit, state) and end_of(limit, state) - now or 0
    end,
    expires = function(state) return state[7] + state[4] end,
  }
end
