-- Twin of engine/pools.ts: the units of a pool are checks of their own, but have one state, and are
-- charged together or not at all. The functions are made when they are needed.
local function pool_writes(checks, is_dirty, new_state)
  -- The empty window that the refusal of a unit opens, unless there is one or no wait helps.
  local function open(check, serial)
    if check.wait == NEVER or check.state ~= nil then return end
    local limit = check.limit
    new_state.write_empty(check.key_place, limit, check.rules.open(limit, serial))
  end

  -- Charges a unit, unless another one of its pool refuses: a shadow pool is charged as a whole.
  local function charge(index, count, serial)
    local check = checks[index]
    local key_place, name, state = check.key_place, check.limit[1], check.state
    for other = 1, count do
      local unit = checks[other]
      if unit.key_place == key_place and unit.limit[1] == name and unit.limit[2] == POOL_UNIT then
        if unit.wait ~= 0 then
          if check.was_ahead then is_dirty[key_place] = true end
          return false
        end
        -- One that was charged before has opened the window.
        if state == nil and unit.at >= 0 then state = unit.state end
      end
    end
    local charged
    charged, check.used, check.reset, check.at =
      check.rules.charge(check.limit, state, check.units, serial)
    check.serial = charged[6]
    local is_replaced = false
    if state == charged then
      is_dirty[key_place] = true
    else
      is_replaced = new_state.write(check, charged)
    end
    check.state = charged
    return is_replaced
  end

  return { open = open, charge = charge }
end

local pools
