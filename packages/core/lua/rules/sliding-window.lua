-- Twin of engine/rules/sliding-window.ts. State: newest slice (7), counts by age (8).
local function sliding_window_rules()
  local function slice_of(limit)
    return floor(now / (limit[5] / limit[6]))
  end

  local function gone_at(limit, slice)
    return (slice + limit[6] + 1) * (limit[5] / limit[6])
  end

  local function empty_counts(buckets)
    local counts = {}
    for age = 1, buckets + 1 do counts[age] = 0 end
    return counts
  end

  -- The counts by age as of now; place 1 is the current slice.
  local function counts_at(limit, state)
    local shift = slice_of(limit) - state[7]
    if shift == 0 then return state[8] end
    local counts = empty_counts(limit[6])
    for age, count in ipairs(state[8]) do
      local age_now = age + shift
      if age_now < 1 then age_now = 1 end
      if age_now <= limit[6] + 1 then counts[age_now] = add_units(counts[age_now], count) end
    end
    return counts
  end

  local function with_units(limit, state, age, units, serial)
    local counts = state == nil and empty_counts(limit[6]) or counts_at(limit, state)
    counts[age + 1] = add_units(counts[age + 1], units)
    if state ~= nil then serial = state[6] end
    return { limit[1], 2, limit[3], limit[5], limit[6], serial, slice_of(limit), counts }
  end

  -- The shape of a limit and of a state are the same here: window and buckets.
  local function shape_of(state)
    return { state[1], 2, state[3], 0, state[4], state[5] }
  end

  return {
    is_same_shape = function(limit, state)
      return limit[3] == state[3] and limit[5] == state[4] and limit[6] == state[5]
    end,
    bring_back = function(state, serial)
      local limit = shape_of(state)
      if state[7] <= slice_of(limit) then return false end
      state[8] = counts_at(limit, state)
      state[7] = slice_of(limit)
      state[6] = serial
      return true
    end,
    wait = function(limit, state, cost)
      if can_never_pass(cost, limit[4]) then return NEVER end
      if state == nil then return 0 end
      local used = 0
      for age, count in ipairs(counts_at(limit, state)) do
        used = add_units(used, count)
        if not fits(used, cost, limit[4]) then
          return gone_at(limit, slice_of(limit) - age + 1) - now
        end
      end
      return 0
    end,
    charge = function(limit, state, cost, serial)
      return with_units(limit, state, 0, cost, serial)
    end,
    charged_at = function(state) return state[7] end,
    correct = function(limit, state, change, serial)
      local delta = change.actual - change.charged
      if state ~= nil and state[6] == change.serial and change.at >= 0 then
        local age = slice_of(limit) - change.at
        if age >= 0 and age <= limit[6] then return with_units(limit, state, age, delta, serial), true end
      end
      if delta < 0 then return state, false end
      return with_units(limit, state, 0, delta, serial), true
    end,
    used = function(limit, state)
      local total = 0
      if state == nil then return total end
      for _, count in ipairs(counts_at(limit, state)) do total = add_units(total, count) end
      return total
    end,
    reset = function(limit, state)
      if state == nil then return 0 end
      for age, count in ipairs(counts_at(limit, state)) do
        if count > 0 then return gone_at(limit, slice_of(limit) - age + 1) - now end
      end
      return 0
    end,
    expires = function(state) return gone_at(shape_of(state), state[7]) end,
  }
end
