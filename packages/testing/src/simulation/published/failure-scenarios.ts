import type { Scenario } from "../scenario/scenario";
import { around, phase } from "./in-seconds";

/** G: clients that try again, and a server that works for clients that have gone. */
export const retryStorm: Scenario = {
  name: "G",
  title: "Retry storm: 10 slots x 100 ms, x 3 from 60 s to 80 s, 90 per second, 3 retries",
  durationMs: 240_000,
  sources: [{ kind: "poisson", perSecond: 90 }],
  server: {
    slots: 10,
    service: around(100),
    steps: [
      { atMs: 60_000, service: around(300) },
      { atMs: 80_000, service: around(100) },
    ],
    abandoned: "finish",
  },
  client: { timeoutMs: 1_000, retries: { max: 3, delayMinMs: 0, delayMaxMs: 100 } },
  phases: [
    phase("before", 0, 60),
    phase("blip", 60, 80),
    phase("80 to 120 s", 80, 120),
    phase("from 100 s", 100, 240),
  ],
  expectations: [
    { phase: "from 100 s", measure: "goodput", atLeast: 88 },
    // Never stuck in a state that the load alone keeps up.
    { phase: "from 100 s", measure: "goodput", atLeast: 45, slack: 0, over: "each" },
  ],
};

/** H: nothing answers. */
export const allTimeOuts: Scenario = {
  name: "H",
  title: "All time-outs: 20 slots x 100 ms, 100 per second, hanging from 60 s to 180 s",
  durationMs: 240_000,
  sources: [{ kind: "poisson", perSecond: 100 }],
  server: {
    slots: 20,
    service: around(100),
    steps: [
      { atMs: 60_000, isHanging: true },
      { atMs: 180_000, isHanging: false },
    ],
    abandoned: "skip",
  },
  client: { timeoutMs: 5_000 },
  phases: [
    phase("before", 0, 60),
    phase("hang", 60, 180),
    phase("hang from 30 s", 90, 180),
    phase("end of hang", 150, 180),
    phase("after", 180, 240),
    phase("after 30 s", 210, 240),
  ],
  expectations: [
    { phase: "hang from 30 s", measure: "maxLimit", atMost: 5 },
    { phase: "hang from 30 s", measure: "started", atLeast: 1 },
    { phase: "after 30 s", measure: "goodput", atLeast: 90 },
  ],
};

/** M: 8 requests per minute for an hour. */
export const sparseTraffic: Scenario = {
  name: "M",
  title: "Sparse traffic: 8 per minute x 2 s on 10 slots for an hour, then a burst of 50",
  durationMs: 3_660_000,
  sources: [
    { kind: "poisson", perSecond: 8 / 60 },
    { kind: "burst", name: "burst", size: 50, atMs: 3_601_000 },
  ],
  server: { slots: 10, service: around(2_000) },
  phases: [
    phase("hour", 0, 3_600),
    phase("last 10 min", 3_000, 3_600),
    phase("burst", 3_600, 3_660),
  ],
  expectations: [
    { phase: "hour", measure: "rejectedShare", atMost: 0.002, slack: 0 },
    { phase: "last 10 min", measure: "minLimit", atLeast: 10 },
    { phase: "last 10 min", measure: "maxLimit", atMost: 40 },
    // As many of the burst as there are slots are let in, at the least.
    { phase: "burst", measure: "started", atLeast: 10 / 60 },
  ],
};
