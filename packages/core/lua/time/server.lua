-- "Now" in whole milliseconds: the server's clock, read once per call, because before Redis 7.2
-- two readings in one script may differ.
local read_time = redis.call("TIME")
local now = read_time[1] * 1000 + math.floor(read_time[2] / 1000)
