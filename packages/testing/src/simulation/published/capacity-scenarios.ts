import type { Scenario } from "../scenario/scenario";
import { around, phase } from "./in-seconds";

/** A: capacity 240, 80, 240 per second. */
export const latencyStep: Scenario = {
  name: "A",
  title: "Latency step x 3: 12 slots, 100 per second, 50 ms, 150 ms from 20 s to 140 s",
  durationMs: 300_000,
  sources: [{ kind: "poisson", perSecond: 100 }],
  server: {
    slots: 12,
    service: around(50),
    steps: [
      { atMs: 20_000, service: around(150) },
      { atMs: 140_000, service: around(50) },
    ],
  },
  phases: [phase("before", 0, 20), phase("overload", 40, 140), phase("after", 160, 300)],
  expectations: [
    { phase: "overload", measure: "goodput", atLeast: 76 },
    { phase: "overload", measure: "p99MaxMs", atMost: 400 },
    { phase: "overload", measure: "meanLimit", atMost: 30 },
    { phase: "after", measure: "rejectedShare", atMost: 0.002, slack: 0 },
    { phase: "after", measure: "p99MaxMs", atMost: 70 },
  ],
};

/** B: capacity 240, 120, 240 per second. */
export const capacityHalved: Scenario = {
  name: "B",
  title: "Capacity halved: 12 slots, 6 from 60 s to 180 s, 50 ms, 180 per second",
  durationMs: 300_000,
  sources: [{ kind: "poisson", perSecond: 180 }],
  server: {
    slots: 12,
    service: around(50),
    steps: [
      { atMs: 60_000, slots: 6 },
      { atMs: 180_000, slots: 12 },
    ],
  },
  phases: [phase("before", 0, 60), phase("halved", 80, 180), phase("after", 190, 300)],
  expectations: [
    { phase: "halved", measure: "goodput", atLeast: 116 },
    { phase: "halved", measure: "p99MaxMs", atMost: 220 },
    { phase: "after", measure: "rejectedShare", atMost: 0.002, slack: 0 },
  ],
};

/** D: 15 per cent more than capacity, for long. */
export const modestOverload: Scenario = {
  name: "D",
  title: "Modest overload for 15 minutes: 12 slots x 120 ms (100 per second), 115 per second",
  durationMs: 900_000,
  sources: [{ kind: "poisson", perSecond: 115 }],
  server: { slots: 12, service: around(120) },
  phases: [phase("first 5 min", 0, 300), phase("last 5 min", 600, 900)],
  expectations: ["first 5 min", "last 5 min"].flatMap((part) => [
    { phase: part, measure: "meanLimit", atMost: 30, slack: 0 } as const,
    { phase: part, measure: "p99MaxMs", atMost: 350 } as const,
    { phase: part, measure: "goodput", atLeast: 97 } as const,
  ]),
};

/** E: slower, but with slots to match. */
export const honestSlowdown: Scenario = {
  name: "E",
  title: "Honest slowdown: 10 slots x 100 ms, 30 slots x 300 ms from 60 s, 80 per second",
  durationMs: 600_000,
  sources: [{ kind: "poisson", perSecond: 80 }],
  server: {
    slots: 10,
    service: around(100),
    steps: [{ atMs: 60_000, slots: 30, service: around(300) }],
  },
  phases: [
    phase("before", 0, 60),
    phase("first minute", 60, 120),
    phase("1 to 4 min", 120, 300),
    phase("later", 300, 600),
  ],
  expectations: [
    { phase: "first minute", measure: "rejectedShare", atMost: 0.05 },
    { phase: "1 to 4 min", measure: "rejectedShare", atMost: 0.01 },
    { phase: "later", measure: "rejectedShare", atMost: 0.01 },
  ],
};

/** F: needs 175 in flight. */
export const coldStart: Scenario = {
  name: "F",
  title: "Cold start, big fan-out: 200 slots x 500 ms, 350 per second",
  durationMs: 180_000,
  sources: [{ kind: "poisson", perSecond: 350 }],
  server: { slots: 200, service: around(500) },
  phases: [
    phase("first 30 s", 0, 30),
    phase("30 to 60 s", 30, 60),
    phase("from 30 s", 30, 180),
    phase("from 60 s", 60, 180),
  ],
  expectations: [
    { phase: "first 30 s", measure: "servedShare", atLeast: 0.6 },
    { phase: "from 30 s", measure: "servedShare", atLeast: 0.97 },
  ],
};

/** L: a calm day, seen by those who probe. */
export const steadyLoad: Scenario = {
  name: "L",
  title: "Recalibration at steady load: 20 slots x 100 ms, 160 per second, 10 minutes",
  durationMs: 600_000,
  sources: [{ kind: "poisson", perSecond: 160 }],
  server: { slots: 20, service: around(100) },
  phases: [phase("all", 0, 600)],
  expectations: [
    { phase: "all", measure: "rejectedShare", atMost: 0.005 },
    { phase: "all", measure: "worstSlotShare", atLeast: 0.97 },
  ],
};
