-- Twin of engine/rules/pool-unit.ts and engine/rules/pool-claims.ts. State: start (7), used by unit
-- (8), and by the name of each class that was charged { used, spent, used, spent, ... } (9). In
-- place of its unit (3) it has all units of the pool.
--
-- Of the limit, besides what every limit has: windowMs (5), all units (6), place of the unit (8), how
-- many there are (9), free (10), free for cost 0 (11), 1 if it lends (12), place of the asking class
-- (13; 0: none), classes (14), guaranteed (15), skipped (16).
local function pool_unit_rules()
  -- A class that has not been charged.
  local NOTHING = {}

  local function is_same_shape(limit, state)
    return limit[6] == state[3] and limit[5] == state[4]
  end

  local function class_name(limit)
    return limit[14][limit[13]] or ""
  end

  local function used_of(limit, state)
    return state == nil and 0 or state[8][limit[8]]
  end

  local function class_used(limit, state)
    local class = state ~= nil and state[9][class_name(limit)] or NOTHING
    return class[limit[8] * 2 - 1] or 0
  end

  local function spent_of(limit, state, name)
    local class = state ~= nil and state[9][name] or NOTHING
    return class[limit[8] * 2] or 0
  end

  local function own_amount(limit)
    return limit[15][limit[13]] or 0
  end

  local function gone_of(limit, place, elapsed)
    return math.max(elapsed * (limit[15][place] or 0), limit[16][place] or 0)
  end

  local function claim_of(limit, place, spent, elapsed)
    local gone = math.max(spent, gone_of(limit, place, elapsed))
    return math.max(0, floor(((limit[15][place] or 0) * limit[5] - gone) / limit[5]))
  end

  local function own_claim(limit, state, elapsed)
    return claim_of(limit, limit[13], spent_of(limit, state, class_name(limit)), elapsed)
  end

  local function spent_by(limit, state)
    local spent = {}
    for place, name in ipairs(limit[14]) do spent[place] = spent_of(limit, state, name) end
    return spent
  end

  local function claim_of_others(limit, spent, elapsed)
    local total = 0
    for place = 1, #spent do
      if place ~= limit[13] then total = total + claim_of(limit, place, spent[place], elapsed) end
    end
    return total
  end

  local function room_at(limit, spent, room, elapsed)
    local too_early, late = elapsed, limit[5]
    while late - too_early > 1 do
      local middle = floor((too_early + late) / 2)
      if claim_of_others(limit, spent, middle) <= room then
        late = middle
      else
        too_early = middle
      end
    end
    return late
  end

  local function is_free(limit, state, cost)
    local used = used_of(limit, state)
    if cost == 0 then return used < limit[11] end
    return used + cost <= limit[10]
  end

  local function never_passes(limit, cost)
    local max, needed = limit[4], math.max(cost, 1)
    if needed > max then return true end
    if is_free(limit, nil, cost) then return false end
    if limit[12] == 0 then return needed > own_amount(limit) end
    if needed <= own_claim(limit, nil, 0) then return false end
    return claim_of_others(limit, spent_by(limit, nil), limit[5] - 1) > max - needed
  end

  local function left_of(limit, state)
    return state[7] + limit[5] - now
  end

  local function until_next(limit, state, cost)
    local needed = math.max(cost, 1)
    local is_passing = is_free(limit, nil, cost)
      or limit[12] == 0
      or needed <= own_claim(limit, nil, 0)
      or claim_of_others(limit, spent_by(limit, nil), 0) <= limit[4] - needed
    return is_passing and left_of(limit, state) or UNKNOWN_WAIT
  end

  local function wait_of(limit, state, cost)
    if never_passes(limit, cost) then return NEVER end
    local needed = math.max(cost, 1)
    local left = limit[4] - used_of(limit, state) - needed
    if left < 0 then return until_next(limit, state, cost) end
    if is_free(limit, state, cost) then return 0 end
    if limit[12] == 0 then
      if class_used(limit, state) + needed <= own_amount(limit) then return 0 end
      return until_next(limit, state, cost)
    end
    local elapsed = state == nil and 0 or now - state[7]
    if needed <= own_claim(limit, state, elapsed) then return 0 end
    local spent = spent_by(limit, state)
    if claim_of_others(limit, spent, elapsed) <= left then return 0 end
    local at = room_at(limit, spent, left, elapsed)
    if at < limit[5] then return at - elapsed end
    return until_next(limit, state, cost)
  end

  local function reset_of(limit, state)
    if used_of(limit, state) == 0 then return 0 end
    return left_of(limit, state)
  end

  local function empty_window(limit, serial)
    local used = {}
    for place = 1, limit[9] do used[place] = 0 end
    return { limit[1], POOL_UNIT, limit[6], limit[5], 0, serial, now, used, {} }
  end

  local function write_class(limit, state, used, spent)
    local name = class_name(limit)
    local class = state[9][name]
    if class == nil then
      class = {}
      for place = 1, limit[9] * 2 do class[place] = 0 end
      state[9][name] = class
    end
    class[limit[8] * 2 - 1] = used
    class[limit[8] * 2] = spent
  end

  local function charge(limit, state, cost, serial)
    local spent = spent_of(limit, state, class_name(limit))
    local is_spent = limit[12] == 1 and not is_free(limit, state, cost)
    local own = add_units(class_used(limit, state), cost)
    state = state or empty_window(limit, serial)
    if is_spent then
      local added = math.min(cost, floor(LARGEST / limit[5])) * limit[5]
      local gone = gone_of(limit, limit[13], now - state[7])
      spent = add_units(math.max(spent, gone), added)
    end
    state[8][limit[8]] = add_units(state[8][limit[8]], cost)
    write_class(limit, state, own, spent)
    return state, used_of(limit, state), reset_of(limit, state), state[7]
  end

  return {
    is_same_shape = is_same_shape,
    alive = function(limit, state)
      if not is_same_shape(limit, state) then return nil, false end
      if state[7] > now then
        state[7] = now
        return state, true
      end
      if state[7] + state[4] <= now then return nil, false end
      return state, false
    end,
    judge = function(limit, state, cost)
      return wait_of(limit, state, cost), used_of(limit, state), reset_of(limit, state)
    end,
    charge = charge,
    correct = function(limit, state, change, serial)
      local delta = change.actual - change.charged
      if delta > 0 then return (charge(limit, state, delta, serial)), true end
      if state == nil or state[6] ~= change.serial then return state, false end
      if change.at < 0 or state[7] > change.at then return state, false end
      local own = add_units(class_used(limit, state), delta)
      local refunded = math.min(-delta * limit[5], LARGEST)
      local spent = math.max(0, spent_of(limit, state, class_name(limit)) - refunded)
      state[8][limit[8]] = add_units(state[8][limit[8]], delta)
      write_class(limit, state, own, spent)
      return state, true
    end,
    expires = function(state) return state[7] + state[4] end,
    class_used = class_used,
    -- Only pools have this: the empty window that a refusal opens.
    open = empty_window,
  }
end
