import type { Scenario } from "@sluice/testing";
import { type Variation, varied } from "./variants";

/**
 * What each scenario is tried with beside what is printed: other capacities, service times,
 * distributions and loads, such that the story stays the same. A slower server gets a longer story
 * (`story`), so that a phase holds as many requests as printed.
 */
const everywhere: readonly Variation[] = [
  { slots: 0.5 },
  { slots: 2 },
  { slots: 4 },
  { slots: 8 },
  { service: 0.1 },
  { service: 0.2 },
  { service: 0.5 },
  { service: 2 },
  { service: 5, story: 5 },
  { service: 20, story: 20 },
  { distribution: "exponential" },
  { distribution: "lognormal" },
  { distribution: "bimodal" },
  { slots: 4, service: 0.2, distribution: "exponential" },
  { slots: 2, service: 2, distribution: "lognormal" },
  { load: 0.9 },
];

/** Those that would be another story in other scenarios. */
const only: Readonly<Record<string, readonly Variation[]>> = {
  A: [{ slots: 0.25 }, { load: 1.1 }, { load: 1.5 }],
  B: [{ load: 1.1 }, { load: 1.25 }],
  D: [{ slots: 0.25 }, { load: 1.1 }, { load: 1.3 }, { load: 2 }],
  E: [{ load: 1.05 }],
  F: [{ slots: 0.25 }],
  L: [{ slots: 0.25 }, { load: 1.05 }, { load: 0.5 }],
};

/** Those of `everywhere` that would be another story in this scenario. */
function suits(name: string, { story, load, slots, service }: Variation): boolean {
  // 10 per cent less than 115 per cent is hardly an overload.
  if (name === "D" && load === 0.9) return false;
  // What 1 600 slots need is beyond the ceiling that limits have by default.
  if (name === "F" && (slots ?? 1) > 4) return false;
  // An hour of rare requests, and streams, are long enough as they are.
  if (name === "M") return story === undefined && (slots ?? 1) >= 1 && (service ?? 1) <= 2;
  return !(name.startsWith("S") && (story ?? 1) > 5);
}

/** The variants of a scenario, each a scenario of its own. */
export function variantsOf(scenario: Scenario): readonly Scenario[] {
  const variations = [...everywhere, ...(only[scenario.name] ?? [])];
  return variations
    .filter((each) => suits(scenario.name, each))
    .map((each) => varied(scenario, each));
}
