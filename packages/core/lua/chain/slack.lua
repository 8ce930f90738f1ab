-- How long a key outlives the last thing in it that means something. What has expired never
-- counts, so this only has to cover clocks that step back.
local SLACK_MS = 10000
