import { type Gate, OptionsReader, Problems } from "@sluice/core";
import { type RenderConfig, type RenderOptions, readRenderOptions } from "@sluice/core/http";
import { exemptPathTest, type IsExempt, readExemptPaths, readMountPrefix } from "./exempt-paths";
import type { OnError } from "./handler-error";
import type { OutcomeOf } from "./outcome";

/** What {@link createNodeGate} takes. */
export interface NodeGateOptions {
  /** The gate that judges. One gate may serve several servers of a process. */
  readonly gate: Gate;
  /**
   * Paths that pass uncounted, compared exactly after the mount prefix has been taken off.
   *
   * @defaultValue {@link defaultExemptPaths}
   */
  readonly exemptPaths?: readonly string[];
  /**
   * The path under which the whole server is reached, `/proxy` for instance. Taken off a path only
   * if a `/` follows it.
   *
   * @defaultValue none
   */
  readonly mountPrefix?: string;
  /** How refusals are answered. A gate has no limits, so of the presets only `ai` adds to them. */
  readonly render?: RenderOptions | RenderConfig;
  /** Overrides how ended responses count. */
  readonly outcomeOf?: OutcomeOf;
  /**
   * Hears of errors of wrapped handlers.
   *
   * @defaultValue a warning of the process, and a plain 500
   */
  readonly onError?: OnError;
}

/** {@link NodeGateOptions}, checked and complete. */
export interface NodeGateConfig {
  readonly gate: Gate;
  readonly isExempt: IsExempt;
  readonly render: RenderConfig;
  readonly outcomeOf: OutcomeOf | undefined;
  readonly onError: OnError | undefined;
}

const known = ["gate", "exemptPaths", "mountPrefix", "render", "outcomeOf", "onError"];

/** @throws InvalidOptionsError listing every problem. */
export function parseNodeGateOptions(options: NodeGateOptions): NodeGateConfig {
  const problems = new Problems("createNodeGate options");
  const reader = new OptionsReader(options, known, problems);
  const gate = reader.optionalPort<Gate>("gate", ["enter", "stats"]);
  if (!reader.isGiven("gate")) reader.problem("gate", "a gate made by createGate");
  const exemptPaths = readExemptPaths(reader, problems);
  const config = {
    gate: gate as Gate,
    isExempt: exemptPathTest(exemptPaths, readMountPrefix(reader)),
    render: readRenderOptions(reader.raw("render"), problems, "render"),
    outcomeOf: reader.optionalFunction<OutcomeOf>("outcomeOf"),
    onError: reader.optionalFunction<OnError>("onError"),
  };
  problems.throwIfAny();
  return Object.freeze(config);
}
