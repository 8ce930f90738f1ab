-- At the end of a script: writes what changed, without what has expired.
for key_place in pairs(is_dirty) do
  local chain = chains[key_place]
  local latest = now
  for index = #chain, 2, -1 do
    local expires = rules_of(chain[index][2]).expires(chain[index])
    if expires <= now then
      table.remove(chain, index)
    elseif expires > latest then
      latest = expires
    end
  end
  local key = KEYS[key_place]
  local left_ms = latest - now
  -- To set a time to live that is right already costs more than to ask for it. Asked it is, since
  -- somebody may have made the key immortal.
  local kept_ms = latest == chain[1] and redis.call("PTTL", key) or 0
  if left_ms == 0 then
    redis.call("DEL", key)
  elseif kept_ms >= left_ms and kept_ms <= left_ms + SLACK_MS + 1 then
    redis.call("SET", key, value_of(chain), "KEEPTTL")
  else
    chain[1] = latest
    redis.call("SET", key, value_of(chain), "PX", left_ms + SLACK_MS)
  end
end
