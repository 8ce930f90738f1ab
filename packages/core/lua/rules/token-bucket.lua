-- Twin of engine/rules/token-bucket.ts. State: used (7), at (8), remainder (9); the refill of the
-- limit that wrote it stands in place 5.
local function token_bucket_rules()
  local function missing_at(limit, state)
    local per, refill = limit[5], limit[6]
    local elapsed = now - state[8]
    local whole = floor(elapsed / per)
    local parts = (elapsed - whole * per) * refill + state[9]
    local used = state[7] - whole * refill - floor(parts / per)
    if used <= 0 then return 0, 0 end
    return used, parts % per
  end

  local function ms_to_regain(per, refill, units, remainder)
    local whole = floor(units / refill)
    local rest = units - whole * refill
    return whole * per + math.ceil((rest * per - remainder) / refill)
  end

  local function expires(state)
    return state[8] + ms_to_regain(state[4], state[5], state[7], state[9])
  end

  local function units_produced(limit, from)
    local elapsed = math.max(0, now - from)
    local whole = floor(elapsed / limit[5])
    local rest = elapsed - whole * limit[5]
    return whole * limit[6] + floor(rest * limit[6] / limit[5])
  end

  local function bucket(limit, serial, used, remainder)
    return { limit[1], 4, limit[3], limit[5], limit[6], serial, used, now, remainder }
  end

  local function charge(limit, state, cost, serial)
    local largest = floor(LARGEST / limit[5])
    if state == nil then return bucket(limit, serial, math.min(cost, largest), 0) end
    local used, remainder = missing_at(limit, state)
    return bucket(limit, state[6], math.min(add_units(used, cost), largest), remainder)
  end

  return {
    is_same_shape = function(limit, state)
      return limit[3] == state[3] and limit[5] == state[4]
    end,
    bring_back = function(state)
      if state[8] <= now then return false end
      state[8] = now
      return true
    end,
    wait = function(limit, state, cost)
      if can_never_pass(cost, limit[4]) then return NEVER end
      if state == nil then return 0 end
      local used, remainder = missing_at(limit, state)
      if fits(used, cost, limit[4]) then return 0 end
      local units = used + math.max(cost, 1) - limit[4]
      local wait = ms_to_regain(limit[5], limit[6], units, remainder)
      return math.min(wait, expires(state) - now)
    end,
    charge = charge,
    charged_at = function() return now end,
    correct = function(limit, state, change, serial)
      local delta = change.actual - change.charged
      if delta > 0 then return charge(limit, state, delta, serial), true end
      if state == nil or state[6] ~= change.serial or change.at < 0 then return state, false end
      local back = -delta - units_produced(limit, change.at)
      if back <= 0 then return state, false end
      local used, remainder = missing_at(limit, state)
      if used <= back then return nil, true end
      return bucket(limit, state[6], used - back, remainder), true
    end,
    used = function(limit, state)
      if state == nil then return 0 end
      local used = missing_at(limit, state)
      return used
    end,
    reset = function(limit, state)
      if state == nil then return 0 end
      local used, remainder = missing_at(limit, state)
      if used == 0 then return 0 end
      local full = ms_to_regain(limit[5], limit[6], used, remainder)
      return math.min(full, expires(state) - now)
    end,
    expires = expires,
  }
end
