-- Questions that can be undone, or told again: not many, so these are made when they are needed.
local function undoable_rules(checks, records)
  -- The place of the record by that of the chain, of the question at hand.
  local record_places = {}

  return {
    -- The status of an operation that arrives again; nothing if it is new.
    find = function(count, places)
      for at = 1, #places, 2 do record_places[places[at]] = places[at + 1] end
      local is_undone, is_known = false, true
      for index = 1, count do
        local record = records.find(record_places[checks[index].key_place])
        if record == nil then
          is_known = false
        elseif not record[3] then
          is_undone = true
        end
      end
      if is_undone then return UNDONE end
      if is_known then return ADMITTED end
      return nil
    end,
    -- Gives the checks of an operation that was admitted before what they were told then.
    recall = function(count)
      for index = 1, count do
        local check = checks[index]
        local record = records.find(record_places[check.key_place])
        local charge = records.charge_to(record, check.limit)
        if charge ~= nil then check.wait, check.at, check.serial = 0, charge[4], charge[5] end
      end
    end,
    -- The charges of one descriptor go on record together.
    write_charges = function(count, undoable_ms)
      local first = 1
      while first <= count do
        local key_place, own, last = checks[first].key_place, {}, first
        while last <= count and checks[last].key_place == key_place do
          local check = checks[last]
          if check.at >= 0 then
            local is_slot = check.slots and 1 or 0
            own[#own + 1] = { records.name_of(check.limit), is_slot, check.units, check.at, check.serial }
          end
          last = last + 1
        end
        records.write(record_places[key_place], undoable_ms, own)
        first = last
      end
    end,
  }
end

local undoable
