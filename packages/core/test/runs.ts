import { storeUnderTest } from "./store/store-under-test";

/** Set to 0.1 or 10 to run every property a tenth or ten times as often. */
const scale = Number(process.env.PROPERTY_RUNS_SCALE ?? 1);

/** How often a property is tried: `usual` times, more or less by `PROPERTY_RUNS_SCALE`. */
export function runs(usual: number): { readonly numRuns: number } {
  return { numRuns: Math.max(1, Math.round(usual * scale * storeUnderTest().runsScale)) };
}
