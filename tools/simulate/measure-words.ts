import { type Expectation, numberText, type PhaseMeasure, percentText } from "@sluice/testing";

/** What a measure is called in a table. */
const words: Readonly<Record<PhaseMeasure, string>> = {
  meanLimit: "mean L",
  maxLimit: "greatest L",
  minLimit: "least L",
  meanInFlight: "in flight",
  meanBusy: "busy slots",
  offered: "offered/s",
  attempted: "attempts/s",
  started: "starts/s",
  goodput: "goodput/s",
  servedShare: "served",
  rejected: "rejected/s",
  rejectedShare: "rejected",
  timedOut: "timed out/s",
  minStarted: "least starts/s",
  p50Ms: "p50 ms",
  p99Ms: "p99 ms",
  p99MaxMs: "p99max ms",
  firstByteP50Ms: "first token p50 ms",
  firstByteP99Ms: "first token p99 ms",
  worstSlotShare: "worst 5 s served",
};

const shares: readonly PhaseMeasure[] = ["servedShare", "rejectedShare", "worstSlotShare"];

/** A measured value as it is written in a table. */
export function valueText(measure: PhaseMeasure, value: number): string {
  return shares.includes(measure) ? percentText(value) : numberText(value);
}

/** `overload: p99max ms <= 400`. */
export function expectationText({ phase, measure, atMost, atLeast, over }: Expectation): string {
  const bound = valueText(measure, atMost ?? atLeast ?? Number.NaN);
  const sign = atMost === undefined ? "≥" : "≤";
  const each = over === "each" ? ", each seed" : "";
  return `${measureText(phase, measure)} ${sign} ${bound}${each}`;
}

/** `overload: p99max ms`. */
export function measureText(phase: string, measure: PhaseMeasure): string {
  return `${phase}: ${words[measure]}`;
}
