-- What is needed to write a node that was not there: made when it is, which is once per window.
local function new_states(now, chains, is_dirty, is_ours, node_of, rules_of)
  -- Whether something is at the key that is not ours. It is as good as nothing, and the write that
  -- follows replaces it; so this is asked about the first node that is written, and no other.
  local function is_foreign(key_place)
    if is_ours[key_place] then return false end
    is_ours[key_place] = true
    return redis.call("EXISTS", KEYS[key_place]) == 1
  end

  -- Whether live state stands under the name of a limit that cannot go on with it.
  local function is_of_another_shape(key_place, limit)
    local node = node_of(key_place, limit[1])
    if node == nil or rules_of(node[2]).expires(node) <= now then return false end
    return node[2] ~= limit[2] or not rules_of(limit[2]).is_same_shape(limit, node)
  end

  local function write_node(key_place, node)
    local _, index = node_of(key_place, node[1])
    local chain = chains[key_place]
    chain[index or #chain + 1] = node
    is_dirty[key_place] = true
  end

  return {
    is_of_another_shape = is_of_another_shape,
    write_node = write_node,
    -- The state of a limit that had none is new, or takes the place of what cannot be gone on with;
    -- whether it does.
    write = function(check, state)
      local key_place = check.key_place
      local is_replaced = check.state == nil
        and (is_of_another_shape(key_place, check.limit) or is_foreign(key_place))
      write_node(key_place, state)
      return is_replaced
    end,
    -- The same for state that counts nothing; what is not ours, and live state of another shape, is
    -- left alone.
    write_empty = function(key_place, limit, state)
      if is_of_another_shape(key_place, limit) then return end
      if is_foreign(key_place) then
        is_ours[key_place] = nil
        return
      end
      write_node(key_place, state)
    end,
  }
end

local new_state
