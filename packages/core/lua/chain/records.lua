-- Twin of engine/operation-records.ts: what an undoable operation charged to one descriptor, under a
-- key of its own, so that many at a time cost one no more than few. Packed with MessagePack:
-- { FORMAT, expires, charges }, where charges is false for a tombstone and else a list of { name, 1
-- for a slot, amount, charged at, serial }. A record is known by the place of its key in KEYS. The
-- functions are made when they are needed: most calls have no such operation.
local function record_rules(now, stored)
  local known = {}

  -- The units of a pool share a name.
  local function name_of(limit)
    if limit[2] == POOL_UNIT then return limit[1] .. "#" .. limit[3] end
    return limit[1]
  end

  local function read(place)
    local record = false
    if stored[place] then
      local is_readable, unpacked = pcall(cmsgpack.unpack, stored[place])
      if is_readable and type(unpacked) == "table" and unpacked[1] == FORMAT then
        record = unpacked
      end
    end
    known[place] = record
    return record
  end

  return {
    name_of = name_of,
    find = function(place)
      local record = known[place]
      if record == nil then record = read(place) end
      return record and record[2] > now and record or nil
    end,
    write = function(place, lasts_ms, charges)
      local record = { FORMAT, now + lasts_ms, charges }
      known[place] = record
      redis.call("SET", KEYS[place], cmsgpack.pack(record), "PX", lasts_ms + SLACK_MS)
    end,
    charge_to = function(record, limit)
      if record == nil or not record[3] then return nil end
      local is_slot = limit[2] == SLOTS and 1 or 0
      local name = name_of(limit)
      for _, charge in ipairs(record[3]) do
        if charge[1] == name and charge[2] == is_slot then return charge end
      end
      return nil
    end,
  }
end

local records
