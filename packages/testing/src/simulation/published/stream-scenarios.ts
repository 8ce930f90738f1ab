import type { Scenario } from "../scenario/scenario";
import { around, phase } from "./in-seconds";

const firstByte = around(280);

/** The honest shift of 4.6: 180 of 200 slots are needed after it. */
export const longerStreams: Scenario = {
  name: "S1",
  title: "Streams 5 s, 45 s from 300 s, 280 ms to the first token: 200 slots, 4 per second",
  durationMs: 1_500_000,
  sources: [{ kind: "poisson", perSecond: 4 }],
  server: {
    slots: 200,
    firstByte,
    service: around(5_000),
    steps: [{ atMs: 300_000, service: around(45_000) }],
  },
  heldUntil: "first-byte",
  sampledAt: "first-byte",
  phases: [
    phase("before", 0, 300),
    phase("300 to 360 s", 300, 360),
    phase("360 to 600 s", 360, 600),
    phase("600 to 1500 s", 600, 1_500),
  ],
  expectations: ["before", "300 to 360 s", "360 to 600 s", "600 to 1500 s"].map((part) => ({
    phase: part,
    measure: "rejectedShare" as const,
    atMost: 0.04,
  })),
};

/** The real loss of slots of 4.6: capacity 12, then 3.2 per second. */
export const lostSlots: Scenario = {
  name: "S2",
  title: "Streams 5 s, 280 ms to the first token, 8 per second: 60 slots, 16 from 300 s",
  durationMs: 1_500_000,
  sources: [{ kind: "poisson", perSecond: 8 }],
  server: {
    slots: 60,
    firstByte,
    service: around(5_000),
    steps: [{ atMs: 300_000, slots: 16 }],
  },
  heldUntil: "first-byte",
  sampledAt: "first-byte",
  phases: [
    phase("before", 0, 300),
    phase("300 to 600 s", 300, 600),
    phase("around 600 s", 540, 660),
    phase("900 to 1500 s", 900, 1_500),
    phase("around 1500 s", 1_380, 1_500),
  ],
  expectations: [
    { phase: "900 to 1500 s", measure: "meanBusy", atLeast: 16 },
    { phase: "900 to 1500 s", measure: "firstByteP50Ms", atMost: 1_000 },
  ],
};

/** The same shift as S1, with the limit on open streams and the whole stream as its sample. */
export const longerStreamsOpen: Scenario = {
  ...longerStreams,
  name: "S1-open",
  title: "As S1, but the limit counts open streams and samples whole streams",
  heldUntil: "end",
  sampledAt: "end",
  expectations: [],
};

/** The same shift as S1, with the limit on open streams and the first token as its sample. */
export const longerStreamsMixed: Scenario = {
  ...longerStreams,
  name: "S1-open-first",
  title: "As S1, but the limit counts open streams and samples first tokens",
  heldUntil: "end",
  sampledAt: "first-byte",
  expectations: [],
};
