import { type Limiter, OptionsReader, type Policy, Problems } from "@sluice/core";
import {
  type HeaderPreset,
  parseRenderOptions,
  type RenderConfig,
  readPresets,
} from "@sluice/core/http";
import type { Framework } from "./adapter";
import type { AdmissionLog } from "./admission/admission-log";
import type { Ended } from "./ended";
import {
  type RejectionsConfig,
  type RejectionsOptions,
  readRejections,
  rejectionsOptions,
} from "./rejections-options";

/**
 * Whether what an admitted request was charged is to be taken back, now that it has ended.
 * Synchronous: anything but `true` and `false` is an error, a promise or another object included,
 * and then the charge stays, as it does if this throws.
 */
export type RefundWhen<Req> = (ended: Ended<Req>) => boolean;

/** What every adapter's limits take. */
export interface LimitsAdapterOptions<Req> extends RejectionsOptions {
  /** The limiter that judges. One limiter may serve several servers and routes. */
  readonly limiter: Limiter;
  /** From a request to a question, or null when no limits apply to it. */
  readonly policy: Policy<Req>;
  /**
   * The rate-limit headers of admitted answers. Each field costs throughput; `"none"` sends none.
   *
   * @defaultValue those of `render.headers`, which are `"ietf"` by default
   */
  readonly admittedHeaders?: HeaderPreset | readonly HeaderPreset[];
  /**
   * Asked once, at the end of each admitted request, unless its permit is closed by then. True
   * refunds all of it, whatever usage was noted: `({ status }) => status < 400` charges failures
   * only. Never asked about the limits' own rejections, which charge nothing.
   *
   * @defaultValue never
   */
  readonly refundWhen?: RefundWhen<Req>;
  /**
   * Writes what becomes of each request, made by `createAdmissionLog`.
   *
   * @defaultValue nothing is written
   */
  readonly admissionEvents?: AdmissionLog<Req>;
}

/** {@link LimitsAdapterOptions}, checked and complete. */
export interface LimitsAdapterConfig<Req> extends RejectionsConfig {
  readonly limiter: Limiter;
  readonly policy: Policy<Req>;
  /** How headers of admitted answers are made; null for none. */
  readonly admitted: RenderConfig | null;
  readonly refundWhen: RefundWhen<Req> | undefined;
  readonly admissionEvents: AdmissionLog<Req> | undefined;
}

const known = [
  "limiter",
  "policy",
  ...rejectionsOptions,
  "admittedHeaders",
  "refundWhen",
  "admissionEvents",
];

/** @throws InvalidOptionsError listing every problem. */
export function parseLimitsAdapterOptions<Req>(
  options: LimitsAdapterOptions<Req>,
  { factory, ownOptions = [], readOwn }: Framework<Req>,
): LimitsAdapterConfig<Req> {
  const problems = new Problems(`${factory} options`);
  const reader = new OptionsReader(options, [...known, ...ownOptions], problems);
  const limiter = reader.optionalPort<Limiter>("limiter", ["admit"]);
  if (!reader.isGiven("limiter")) reader.problem("limiter", "a limiter made by createLimiter");
  const policy = reader.optionalFunction<Policy<Req>>("policy");
  if (!reader.isGiven("policy")) reader.problem("policy", "a function from request to question");
  const { render, rejections } = readRejections(reader, problems);
  const headers = readPresets(reader, "admittedHeaders", render.headers);
  const refundWhen = reader.optionalFunction<RefundWhen<Req>>("refundWhen");
  const admissionEvents = reader.optionalPort<AdmissionLog<Req>>("admissionEvents", ["begin"]);
  readOwn?.(reader);
  problems.throwIfAny();
  const { slotsHeaderName } = render;
  return Object.freeze({
    limiter: limiter as Limiter,
    policy: policy as Policy<Req>,
    render,
    rejections,
    admitted: headers.includes("none") ? null : parseRenderOptions({ headers, slotsHeaderName }),
    refundWhen,
    admissionEvents,
  });
}
