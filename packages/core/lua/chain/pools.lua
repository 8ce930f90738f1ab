-- Twin of engine/pools.ts: the units of a pool are checks of their own, but have one state, and are
-- charged together or not at all. The functions are made when they are needed.
local pools

local function pool_writes()
  -- The empty window that the refusal of a unit opens, unless there is one or no wait helps. State
  -- of another shape, and what is not ours, is left alone.
  local function open(check, serial)
    local limit, key_place = check.limit, check.key_place
    if check.wait == NEVER or check.state ~= nil then return end
    if is_of_another_shape(key_place, limit) then return end
    if is_foreign(key_place) then
      is_ours[key_place] = nil
      return
    end
    write_node(key_place, check.rules.open(limit, serial))
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
      is_replaced = write_new(check, charged)
    end
    check.state = charged
    return is_replaced
  end

  return { open = open, charge = charge }
end
