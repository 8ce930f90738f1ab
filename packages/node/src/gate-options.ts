import { type Gate, OptionsReader, Problems } from "@sluice/core";
import { type RenderConfig, type RenderOptions, readRenderOptions } from "@sluice/core/http";
import { exemptPathTest, type IsExempt, readExemptPaths, readMountPrefix } from "./exempt-paths";
import type { OnError } from "./handler-error";
import type { NodeRequest } from "./message";
import type { OutcomeOf } from "./outcome";

/** Says something of a request, or nothing of it (`undefined`). Synchronous and quick. */
export type OfRequest = (req: NodeRequest) => string | undefined;

/** What {@link createNodeGate} takes. */
export interface NodeGateOptions {
  /** The gate that judges. One gate may serve several servers of a process. */
  readonly gate: Gate;
  /**
   * The class of a request, one of the classes of the gate; for `undefined` the gate's default
   * class. An unknown one, or an error, is an error of the request (`onError`, 500).
   *
   * @defaultValue the gate's default class for all
   */
  readonly class?: OfRequest;
  /**
   * Whom to be fair to among those that wait in one class: the client's address, a tenant.
   *
   * @defaultValue nobody: first in, first out
   */
  readonly fairnessKey?: OfRequest;
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
  readonly classOf: OfRequest | undefined;
  readonly fairnessKeyOf: OfRequest | undefined;
  readonly isExempt: IsExempt;
  readonly render: RenderConfig;
  readonly outcomeOf: OutcomeOf | undefined;
  readonly onError: OnError | undefined;
}

const known = [
  "gate",
  "class",
  "fairnessKey",
  "exemptPaths",
  "mountPrefix",
  "render",
  "outcomeOf",
  "onError",
];

/** @throws InvalidOptionsError listing every problem. */
export function parseNodeGateOptions(options: NodeGateOptions): NodeGateConfig {
  const problems = new Problems("createNodeGate options");
  const reader = new OptionsReader(options, known, problems);
  const gate = reader.optionalPort<Gate>("gate", ["enter", "stats"]);
  if (!reader.isGiven("gate")) reader.problem("gate", "a gate made by createGate");
  const exemptPaths = readExemptPaths(reader, problems);
  const config = {
    gate: gate as Gate,
    classOf: reader.optionalFunction<OfRequest>("class"),
    fairnessKeyOf: reader.optionalFunction<OfRequest>("fairnessKey"),
    isExempt: exemptPathTest(exemptPaths, readMountPrefix(reader)),
    render: readRenderOptions(reader.raw("render"), problems, "render"),
    outcomeOf: reader.optionalFunction<OutcomeOf>("outcomeOf"),
    onError: reader.optionalFunction<OnError>("onError"),
  };
  problems.throwIfAny();
  return Object.freeze(config);
}
