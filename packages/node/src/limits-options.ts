import type { IncomingMessage } from "node:http";
import { type Limiter, OptionsReader, type Policy, Problems } from "@sluice/core";
import {
  type HeaderPreset,
  parseRenderOptions,
  type RenderConfig,
  type RenderOptions,
  readPresets,
  readRenderOptions,
} from "@sluice/core/http";
import type { OnError } from "./handler-error";
import type { NodeRequest } from "./message";

/** What {@link createNodeLimits} takes. */
export interface NodeLimitsOptions<Req extends NodeRequest = IncomingMessage> {
  /** The limiter that judges. One limiter may serve several servers and routes. */
  readonly limiter: Limiter;
  /** From a request to a question, or null when no limits apply to it. */
  readonly policy: Policy<Req>;
  /** How rejections are answered. */
  readonly render?: RenderOptions | RenderConfig;
  /**
   * The rate-limit headers of admitted answers. Each field costs throughput; `"none"` sends none.
   *
   * @defaultValue those of `render.headers`, which are `"ietf"` by default
   */
  readonly admittedHeaders?: HeaderPreset | readonly HeaderPreset[];
  /**
   * Hears of errors of the policy, the limiter and wrapped handlers.
   *
   * @defaultValue a warning of the process, and a plain 500
   */
  readonly onError?: OnError;
}

/** {@link NodeLimitsOptions}, checked and complete. */
export interface NodeLimitsConfig<Req extends NodeRequest> {
  readonly limiter: Limiter;
  readonly policy: Policy<Req>;
  readonly render: RenderConfig;
  /** How headers of admitted answers are made; null for none. */
  readonly admitted: RenderConfig | null;
  readonly onError: OnError | undefined;
}

const known = ["limiter", "policy", "render", "admittedHeaders", "onError"];

/** @throws InvalidOptionsError listing every problem. */
export function parseNodeLimitsOptions<Req extends NodeRequest>(
  options: NodeLimitsOptions<Req>,
): NodeLimitsConfig<Req> {
  const problems = new Problems("createNodeLimits options");
  const reader = new OptionsReader(options, known, problems);
  const limiter = reader.optionalPort<Limiter>("limiter", ["admit"]);
  if (!reader.isGiven("limiter")) reader.problem("limiter", "a limiter made by createLimiter");
  const policy = reader.optionalFunction<Policy<Req>>("policy");
  if (!reader.isGiven("policy")) reader.problem("policy", "a function from request to question");
  const render = readRenderOptions(reader.raw("render"), problems, "render");
  const headers = readPresets(reader, "admittedHeaders", render.headers);
  const onError = reader.optionalFunction<OnError>("onError");
  problems.throwIfAny();
  const { slotsHeaderName } = render;
  return Object.freeze({
    limiter: limiter as Limiter,
    policy: policy as Policy<Req>,
    render,
    admitted: headers.includes("none") ? null : parseRenderOptions({ headers, slotsHeaderName }),
    onError,
  });
}
