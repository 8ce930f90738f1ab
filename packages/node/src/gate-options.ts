import { type Gate, OptionsReader, Problems } from "@sluice/core";
import type { RenderConfig, RenderOptions } from "@sluice/core/http";
import type { Framework } from "./adapter";
import type { AdmissionLog } from "./admission/admission-log";
import type { OutcomeOf } from "./ended";
import { exemptPathTest, type IsExempt, readExemptPaths, readMountPrefix } from "./exempt-paths";
import {
  type RejectionsConfig,
  type RejectionsOptions,
  readRejections,
  rejectionsOptions,
} from "./rejections-options";

/** Says something of a request, or nothing of it (`undefined`). Synchronous and quick. */
export type OfRequest<Req> = (request: Req) => string | undefined;

/** What every adapter's gate takes. */
export interface GateAdapterOptions<Req> extends RejectionsOptions {
  /** The gate that judges. One gate may serve several servers of a process. */
  readonly gate: Gate;
  /**
   * The class of a request, one of the classes of the gate; for `undefined` the gate's default
   * class. An unknown one, or an error, is an error of the request.
   *
   * @defaultValue the gate's default class for all
   */
  readonly class?: OfRequest<Req>;
  /**
   * Whom to be fair to among those that wait in one class: the client's address, a tenant.
   *
   * @defaultValue nobody: first in, first out
   */
  readonly fairnessKey?: OfRequest<Req>;
  /**
   * Paths that pass uncounted, compared exactly with the path that was sent, after the mount prefix
   * has been taken off.
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
  readonly outcomeOf?: OutcomeOf<Req>;
  /**
   * Writes what becomes of each request, made by `createAdmissionLog`.
   *
   * @defaultValue nothing is written
   */
  readonly admissionEvents?: AdmissionLog<Req>;
}

/** {@link GateAdapterOptions}, checked and complete. */
export interface GateAdapterConfig<Req> extends RejectionsConfig {
  readonly gate: Gate;
  readonly classOf: OfRequest<Req> | undefined;
  readonly fairnessKeyOf: OfRequest<Req> | undefined;
  readonly isExempt: IsExempt;
  readonly outcomeOf: OutcomeOf<Req> | undefined;
  readonly admissionEvents: AdmissionLog<Req> | undefined;
}

const known = [
  "gate",
  "class",
  "fairnessKey",
  "exemptPaths",
  "mountPrefix",
  ...rejectionsOptions,
  "outcomeOf",
  "admissionEvents",
];

/** @throws InvalidOptionsError listing every problem. */
export function parseGateAdapterOptions<Req>(
  options: GateAdapterOptions<Req>,
  { factory, ownOptions = [], readOwn }: Framework<Req>,
): GateAdapterConfig<Req> {
  const problems = new Problems(`${factory} options`);
  const reader = new OptionsReader(options, [...known, ...ownOptions], problems);
  const gate = reader.optionalPort<Gate>("gate", ["enter", "stats"]);
  if (!reader.isGiven("gate")) reader.problem("gate", "a gate made by createGate");
  const exemptPaths = readExemptPaths(reader, problems);
  const config = {
    gate: gate as Gate,
    classOf: reader.optionalFunction<OfRequest<Req>>("class"),
    fairnessKeyOf: reader.optionalFunction<OfRequest<Req>>("fairnessKey"),
    isExempt: exemptPathTest(exemptPaths, readMountPrefix(reader)),
    ...readRejections(reader, problems),
    outcomeOf: reader.optionalFunction<OutcomeOf<Req>>("outcomeOf"),
    admissionEvents: reader.optionalPort<AdmissionLog<Req>>("admissionEvents", ["begin"]),
  };
  readOwn?.(reader);
  problems.throwIfAny();
  return Object.freeze(config);
}
