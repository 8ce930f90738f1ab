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
  if latest == now then
    redis.call("DEL", key)
  elseif latest == chain[1] and redis.call("PTTL", key) >= latest - now then
    -- The time to live is right as it is, and to set it costs more than to ask for it. Asked it is,
    -- since somebody may have made the key immortal.
    redis.call("SET", key, value_of(chain), "KEEPTTL")
  else
    chain[1] = latest
    redis.call("SET", key, value_of(chain), "PX", latest - now + SLACK_MS)
  end
end
