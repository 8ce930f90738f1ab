-- Twin of engine/rules/sliding-window.ts. State: newest slice (7), counts by age (8).
local function sliding_window_rules()
  local function slice_of(limit)
    return floor(now / (limit[5] / limit[6]))
  end

  local function left_until_gone(limit, slice)
    return (slice + limit[6] + 1) * (limit[5] / limit[6]) - now
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

  local function is_same_shape(limit, state)
    return limit[3] == state[3] and limit[5] == state[4] and limit[6] == state[5]
  end

  -- Used, and how long until the newest charge is gone.
  local function standing(limit, counts)
    local total, left = 0, 0
    for age, count in ipairs(counts) do
      if count > 0 and left == 0 then left = left_until_gone(limit, slice_of(limit) - age + 1) end
      total = add_units(total, count)
    end
    return total, left
  end

  local function with_units(limit, state, age, units, serial)
    local counts = state == nil and empty_counts(limit[6]) or counts_at(limit, state)
    counts[age + 1] = add_units(counts[age + 1], units)
    if state ~= nil then serial = state[6] end
    return { limit[1], SLIDING_WINDOW, limit[3], limit[5], limit[6], serial, slice_of(limit), counts }
  end

  -- From the newest on: the first slice with which the cost does not fit is the one that has to go.
  local function wait_of(limit, counts, cost)
    if can_never_pass(cost, limit[4]) then return NEVER end
    local used = 0
    for age, count in ipairs(counts) do
      used = add_units(used, count)
      if not fits(used, cost, limit[4]) then
        return left_until_gone(limit, slice_of(limit) - age + 1)
      end
    end
    return 0
  end

  return {
    is_same_shape = is_same_shape,
    alive = function(limit, state, serial)
      if not is_same_shape(limit, state) then return nil, false end
      local slice = slice_of(limit)
      if state[7] > slice then
        state[8] = counts_at(limit, state)
        state[7] = slice
        state[6] = serial
        return state, true
      end
      if left_until_gone(limit, state[7]) <= 0 then return nil, false end
      return state, false
    end,
    judge = function(limit, state, cost)
      local counts = state == nil and {} or counts_at(limit, state)
      return wait_of(limit, counts, cost), standing(limit, counts)
    end,
    charge = function(limit, state, cost, serial)
      local charged = with_units(limit, state, 0, cost, serial)
      local used, left = standing(limit, charged[8])
      return charged, used, left, charged[7]
    end,
    -- How many times as much as was just charged can be charged too.
    more = function(limit, state, cost)
      return floor((limit[4] - standing(limit, state[8])) / cost)
    end,
    correct = function(limit, state, change, serial)
      local delta = change.actual - change.charged
      if state ~= nil and state[6] == change.serial and change.at >= 0 then
        local age = slice_of(limit) - change.at
        if age >= 0 and age <= limit[6] then
          return with_units(limit, state, age, delta, serial), true
        end
      end
      if delta < 0 then return state, false end
      return with_units(limit, state, 0, delta, serial), true
    end,
    expires = function(state)
      return (state[7] + state[5] + 1) * (state[4] / state[5])
    end,
  }
end
