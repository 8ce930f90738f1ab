import type { Gate, Limiter, Question } from "@sluice/core";
import type { Door } from "../door/door";
import { GateDoor } from "../door/gate-door";
import { LimiterDoor, type SimulatedRequest } from "../door/limiter-door";
import type { Measurements } from "../measure/measurements";
import type { Scenario } from "../scenario/scenario";
import { prepareRun, type RunOptions, type SimulatedWorld } from "./prepare-run";

/** How to run a scenario on a gate. */
export interface RunGateOptions<C extends string = string> extends RunOptions {
  /**
   * Makes the gate, on the clock and the chance of the world; called once per run. Until when it
   * holds slots is its own option; `heldUntil` and `sampledAt` of the scenario are for limits that
   * stand alone.
   */
  readonly gate: (world: SimulatedWorld) => Gate<C>;
}

/** How to run a scenario on a limiter. */
export interface RunLimiterOptions extends RunOptions {
  /** Makes the limiter, on a store with the clock of the world; called once per run. */
  readonly limiter: (world: SimulatedWorld) => Limiter;
  /** What is asked for a request of a source. */
  readonly question: (request: SimulatedRequest) => Question;
}

/**
 * Plays a scenario on a gate, with its queue, classes and deadlines. Patience of clients is the
 * deadline that the gate is told.
 *
 * @throws (as a rejected promise) InvalidOptionsError listing everything that is wrong with the
 *   scenario or the seed, or a class that the gate does not have.
 */
export function runGateScenario<C extends string>(
  scenario: Scenario,
  options: RunGateOptions<C>,
): Promise<Measurements> {
  return runAsync(scenario, options, (world) => new GateDoor(options.gate(world) as Gate));
}

/**
 * Plays a scenario on a limiter. Who is not admitted is refused at once; who was let in stays
 * charged, answered or not.
 *
 * @throws (as a rejected promise) InvalidOptionsError listing everything that is wrong with the
 *   scenario, the seed or a question.
 */
export function runLimiterScenario(
  scenario: Scenario,
  options: RunLimiterOptions,
): Promise<Measurements> {
  return runAsync(
    scenario,
    options,
    (world) => new LimiterDoor(options.limiter(world), options.question),
  );
}

async function runAsync(
  scenario: Scenario,
  options: RunOptions,
  doorOf: (world: SimulatedWorld) => Door,
): Promise<Measurements> {
  const { clock, traffic, measurements } = prepareRun(scenario, options, doorOf);
  await clock.runUntilAsync(scenario.durationMs, () => traffic.failure !== undefined);
  if (traffic.failure !== undefined) throw traffic.failure.error;
  return measurements();
}
