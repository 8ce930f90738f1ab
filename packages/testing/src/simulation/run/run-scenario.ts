import type { AdaptiveLimit } from "@sluice/core";
import { LimitDoor } from "../door/limit-door";
import type { Measurements } from "../measure/measurements";
import type { Scenario } from "../scenario/scenario";
import { prepareRun, type RunOptions, type SimulatedWorld } from "./prepare-run";

/** How to run a scenario on an adaptive limit. */
export interface RunLimitOptions extends RunOptions {
  /** Makes the limit; called once per run. */
  readonly limit: (world: SimulatedWorld) => AdaptiveLimit;
}

/**
 * Plays a scenario on an adaptive limit that stands alone: who finds it full is refused at once.
 * Synchronous.
 *
 * @throws InvalidOptionsError listing everything that is wrong with the scenario or the seed;
 *   whatever the limit throws.
 */
export function runScenario(scenario: Scenario, options: RunLimitOptions): Measurements {
  const run = prepareRun(scenario, options, (world, clock) => {
    const isStream = scenario.server.firstByte !== undefined;
    const { heldUntil = "end", sampledAt = isStream ? "first-byte" : "end" } = scenario;
    return new LimitDoor(options.limit(world), clock, { heldUntil, sampledAt });
  });
  run.clock.runUntil(scenario.durationMs);
  return run.measurements();
}
