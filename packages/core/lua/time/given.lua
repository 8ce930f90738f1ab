-- "Now" as a test has set it, so that the twin and the transition share a clock. No published
-- script contains this.
local now = tonumber(redis.call("GET", "sluice-test-now"))
