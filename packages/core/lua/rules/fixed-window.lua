-- Twin of engine/rules/fixed-window.ts. State: start (7), used (8).
local function fixed_window_rules(now)
  local function left_of(limit, state)
    local start = state[7]
    if limit[6] == 1 then start = start - start % limit[5] end
    return start + limit[5] - now
  end

  local function charge(limit, state, cost, serial)
    local left = state == nil and 0 or left_of(limit, state)
    if left > 0 then
      local used = state[8] + cost
      if used > LARGEST then used = LARGEST end
      state[8] = used
      return state, used, left, state[7]
    end
    state = { limit[1], FIXED_WINDOW, limit[3], limit[5], 0, serial, now, cost }
    return state, cost, left_of(limit, state), now
  end

  return {
    is_same_shape = function(limit, state)
      return limit[3] == state[3] and limit[5] == state[4]
    end,
    alive = function(limit, state)
      if limit[3] ~= state[3] or limit[5] ~= state[4] then return nil, false end
      if state[7] > now then
        state[7] = now
        return state, true
      end
      if state[7] + state[4] <= now then return nil, false end
      return state, false
    end,
    judge = function(limit, state, cost)
      local max = limit[4]
      local used, left = 0, 0
      if state ~= nil then
        left = left_of(limit, state)
        if left > 0 then used = state[8] else left = 0 end
      end
      if cost > max or max == 0 then return NEVER, used, left end
      if used + cost <= max and (cost > 0 or used < max) then return 0, used, left end
      return left, used, left
    end,
    charge = charge,
    -- How many times as much as was just charged can be charged too.
    more = function(limit, state, cost)
      return math.floor((limit[4] - state[8]) / cost)
    end,
    correct = function(limit, state, change, serial)
      local delta = change.actual - change.charged
      if delta > 0 then return (charge(limit, state, delta, serial)), true end
      if state == nil or state[6] ~= change.serial then return state, false end
      if change.at < 0 or state[7] > change.at then return state, false end
      if left_of(limit, state) <= 0 then return state, false end
      state[8] = math.max(0, state[8] + delta)
      return state, true
    end,
    expires = function(state) return state[7] + state[4] end,
  }
end
