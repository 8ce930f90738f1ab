-- Twin of engine/operation-records.ts: what undoable operations charged, as the node #operations of
-- a chain: records { id, expires, charges }, where charges is false for a tombstone and else a list
-- of { name, 1 for a slot, amount, charged at, serial }. The functions are made when they are
-- needed: most calls have no such operation.
local function record_rules()
  local RECORDS = "#operations"

  return {
    find = function(key_place, id)
      local node = node_of(key_place, RECORDS)
      if node == nil then return nil end
      for _, record in ipairs(node[7]) do
        if record[1] == id and record[2] > now then return record end
      end
      return nil
    end,
    write = function(key_place, id, expires, charges)
      local node = node_of(key_place, RECORDS)
      local records = {}
      for _, record in ipairs(node and node[7] or {}) do
        if record[1] ~= id and record[2] > now then records[#records + 1] = record end
      end
      records[#records + 1] = { id, expires, charges }
      write_node(key_place, { RECORDS, OPERATIONS, "", 0, 0, 0, records })
    end,
    charge_to = function(record, limit)
      if record == nil or not record[3] then return nil end
      local is_slot = limit[2] == SLOTS and 1 or 0
      for _, charge in ipairs(record[3]) do
        if charge[1] == limit[1] and charge[2] == is_slot then return charge end
      end
      return nil
    end,
  }
end
