-- Twin of engine/rules/concurrency.ts: the leases of one limit of one descriptor, a sorted set of
-- its own. Member: the id of the lease; score: when it expires. The member # carries the longest
-- lease since the set was empty, as 2^52 + leaseMs: behind every expiry, so that trimming what has
-- expired never takes it. The functions are made when they are needed.
#include "chain/slack"

local function slot_rules(now)
  local MARK = "#"
  local MARK_BASE = 4503599627370496
  local BEFORE_MARK = "(4503599627370496"

  local leases = {}

  local function after(instant)
    return string.format("(%.0f", instant)
  end

  -- The last expiry and the longest lease; nothing if the key is empty or not ours.
  local function read_ends(key)
    local ends = redis.pcall("ZRANGE", key, -2, -1, "WITHSCORES")
    if ends.err then return nil, nil, true end
    if #ends == 0 then return nil, nil, false end
    if ends[#ends - 1] ~= MARK then return nil, nil, true end
    return #ends == 4 and tonumber(ends[2]) or 0, tonumber(ends[#ends]) - MARK_BASE, false
  end

  local function at_place(key_place)
    local slots = leases[key_place]
    if slots ~= nil then return slots end
    local key = KEYS[key_place]
    slots = { key = key, live = 0, last = 0, longest = 0, is_ahead = false, is_foreign = false }
    leases[key_place] = slots
    local last, longest, is_foreign = read_ends(key)
    slots.is_foreign = is_foreign
    if last == nil then return slots end
    if last > now + longest then
      last = now + longest
      slots.is_ahead = true
    end
    if last > now then
      slots.last = last
      slots.longest = longest
      slots.live = redis.call("ZCOUNT", key, after(now), BEFORE_MARK)
    end
    return slots
  end

  -- Leases further away than the longest lease come from a clock that stepped back: they are cut.
  local function bring_leases_back(slots)
    if not slots.is_ahead then return end
    slots.is_ahead = false
    local latest = string.format("%.0f", slots.last)
    for _, id in ipairs(redis.call("ZRANGEBYSCORE", slots.key, "(" .. latest, BEFORE_MARK)) do
      redis.call("ZADD", slots.key, "XX", latest, id)
    end
  end

  local function expire_slots(slots)
    redis.call("PEXPIRE", slots.key, slots.last - now + SLACK_MS)
  end

  local function write_mark(slots, lease_ms)
    slots.longest = lease_ms
    redis.call("ZADD", slots.key, MARK_BASE + lease_ms, MARK)
  end

  -- Takes or prolongs a lease, and returns when it expires.
  local function take_lease(slots, lease_ms, id)
    local expiry = now + lease_ms
    if slots.live == 0 then
      redis.call("DEL", slots.key)
      slots.is_ahead = false
      slots.is_foreign = false
      slots.longest = 0
    else
      redis.call("ZREMRANGEBYSCORE", slots.key, "-inf", now)
      bring_leases_back(slots)
    end
    if lease_ms > slots.longest then write_mark(slots, lease_ms) end
    if redis.call("ZADD", slots.key, expiry, id) == 1 then
      slots.live = slots.live + 1
      if expiry > slots.last then slots.last = expiry end
    else
      slots.last = read_ends(slots.key)
    end
    expire_slots(slots)
    return expiry
  end

  -- Whether the lease is stored and live.
  local function has_live_lease(slots, id)
    if slots.live == 0 then return false end
    local expiry = tonumber(redis.call("ZSCORE", slots.key, id) or 0)
    return expiry > now
  end

  -- Frees a lease; an unknown one changes nothing.
  local function free_lease(slots, id)
    if slots.live == 0 then return end
    local was_ahead = slots.is_ahead
    bring_leases_back(slots)
    if redis.call("ZREM", slots.key, id) == 1 then
      redis.call("ZREMRANGEBYSCORE", slots.key, "-inf", now)
      slots.live = redis.call("ZCARD", slots.key) - 1
      if slots.live == 0 then
        redis.call("DEL", slots.key)
        slots.last = 0
        return
      end
      slots.last = read_ends(slots.key)
    elseif not was_ahead then
      return
    end
    expire_slots(slots)
  end

  local function reset_of(slots)
    return slots.live == 0 and 0 or slots.last - now
  end

  return {
    at_place = at_place,
    judge = function(check, key_place)
      local held = at_place(key_place)
      local max = check.limit[4]
      check.slots, check.used, check.reset = held, held.live, reset_of(held)
      if max == 0 then
        check.wait = NEVER
      else
        check.wait = held.live < max and 0 or UNKNOWN_WAIT
      end
    end,
    -- Whether it replaces what is not ours.
    charge = function(check, operation)
      local held = check.slots
      local was_foreign = held.is_foreign
      check.at = take_lease(held, check.limit[5], operation)
      check.used, check.reset = held.live, reset_of(held)
      return was_foreign
    end,
    bring_back = function(slots)
      if not slots.is_ahead then return end
      bring_leases_back(slots)
      expire_slots(slots)
    end,
    take = take_lease,
    has_live = has_live_lease,
    free = free_lease,
  }
end

-- Made when the first lease is met.
local slots
