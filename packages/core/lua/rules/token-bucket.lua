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
    return { limit[1], TOKEN_BUCKET, limit[3], limit[5], limit[6], serial, used, now, remainder }
  end

  local function is_same_shape(limit, state)
    return limit[3] == state[3] and limit[5] == state[4]
  end

  local function add(limit, state, cost, serial)
    local largest = floor(LARGEST / limit[5])
    if state == nil then return bucket(limit, serial, math.min(cost, largest), 0) end
    local used, remainder = missing_at(limit, state)
    state[5] = limit[6]
    state[7] = math.min(add_units(used, cost), largest)
    state[8] = now
    state[9] = remainder
    return state
  end

  return {
    is_same_shape = is_same_shape,
    alive = function(limit, state)
      if not is_same_shape(limit, state) then return nil, false end
      local is_ahead = state[8] > now
      if is_ahead then state[8] = now end
      if expires(state) <= now then return nil, false end
      return state, is_ahead
    end,
    judge = function(limit, state, cost)
      local max = limit[4]
      local used, remainder, full = 0, 0, 0
      if state ~= nil then used, remainder = missing_at(limit, state) end
      local longest = used > 0 and expires(state) - now or 0
      if used > 0 then
        full = math.min(ms_to_regain(limit[5], limit[6], used, remainder), longest)
      end
      if can_never_pass(cost, max) then return NEVER, used, full end
      if fits(used, cost, max) then return 0, used, full end
      local units = used + math.max(cost, 1) - max
      return math.min(ms_to_regain(limit[5], limit[6], units, remainder), longest), used, full
    end,
    charge = function(limit, state, cost, serial)
      local charged = add(limit, state, cost, serial)
      return charged, charged[7], expires(charged) - now, now
    end,
    correct = function(limit, state, change, serial)
      local delta = change.actual - change.charged
      if delta > 0 then return add(limit, state, delta, serial), true end
      if state == nil or state[6] ~= change.serial or change.at < 0 then return state, false end
      local back = -delta - units_produced(limit, change.at)
      if back <= 0 then return state, false end
      local used, remainder = missing_at(limit, state)
      if used <= back then return nil, true end
      return bucket(limit, state[6], used - back, remainder), true
    end,
    expires = expires,
  }
end
