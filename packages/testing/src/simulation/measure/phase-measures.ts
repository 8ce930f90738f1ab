import type { PhaseMeasure } from "./phase-summary";

/** Every measure once; the record makes sure that none is missing. */
const measures: Readonly<Record<PhaseMeasure, true>> = {
  meanLimit: true,
  maxLimit: true,
  minLimit: true,
  meanInFlight: true,
  meanBusy: true,
  offered: true,
  attempted: true,
  started: true,
  goodput: true,
  servedShare: true,
  rejected: true,
  rejectedShare: true,
  timedOut: true,
  minStarted: true,
  p50Ms: true,
  p99Ms: true,
  p99MaxMs: true,
  firstByteP50Ms: true,
  firstByteP99Ms: true,
  worstSlotShare: true,
};

/** The measures that an expectation can name. */
export const phaseMeasures = Object.keys(measures) as readonly PhaseMeasure[];
