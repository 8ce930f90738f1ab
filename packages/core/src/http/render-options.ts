import { hasBrand } from "../error/brand";
import { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";
import { openaiBody } from "./body/openai";
import { problemBody } from "./body/problem";
import type { RejectionBody } from "./body/rejection-body";
import { type HeaderPreset, headerPresets } from "./preset/presets";

/** How verdicts become HTTP answers. */
export interface RenderOptions {
  /**
   * The families of rate-limit headers, one or several. Each costs some throughput.
   *
   * @defaultValue `"ietf"`
   */
  readonly headers?: HeaderPreset | readonly HeaderPreset[];
  /**
   * The body of a rejection: RFC 9457 problem document, OpenAI-style error, or an own function.
   *
   * @defaultValue `"problem"`
   */
  readonly body?: "problem" | "openai" | RejectionBody;
  /**
   * The status of a request that costs more than its limit can ever hold.
   *
   * @defaultValue 429
   */
  readonly costExceedsLimitStatus?: 429 | 413;
  /**
   * The status of requests that a full or slow queue refuses. 429 keeps balancers from taking a
   * busy process for a dead one; 503 makes them look elsewhere.
   *
   * @defaultValue 503
   */
  readonly gateStatus?: 503 | 429;
  /**
   * How the unit `slots` is written in names of the `descriptor` preset, in lower case.
   *
   * @defaultValue `"slots"`; LiteLLM's name is `"max_parallel_requests"`
   */
  readonly slotsHeaderName?: string;
  /**
   * The header field that names the class on a refusal by a pool, in lower case.
   *
   * @defaultValue `"x-sluice-priority"`
   */
  readonly priorityHeaderName?: string;
  /**
   * The header field with the saturation of the pool, where a class is held to its share.
   *
   * @defaultValue `"x-sluice-saturation"`
   */
  readonly saturationHeaderName?: string;
}

const brand = Symbol.for("sluice.RenderConfig");

/** {@link RenderOptions}, checked and complete. Made by {@link parseRenderOptions}. */
export interface RenderConfig {
  readonly headers: readonly HeaderPreset[];
  readonly body: RejectionBody;
  readonly costExceedsLimitStatus: 429 | 413;
  readonly gateStatus: 503 | 429;
  readonly slotsHeaderName: string;
  readonly priorityHeaderName: string;
  readonly saturationHeaderName: string;
}

const known = [
  "headers",
  "body",
  "costExceedsLimitStatus",
  "gateStatus",
  "slotsHeaderName",
  "priorityHeaderName",
  "saturationHeaderName",
];

const headerName = /^[a-z0-9_.-]{1,64}$/;
const headerNameText = "1 to 64 characters of a-z, 0-9, _, . and -";

/**
 * Checks options once, so that rendering does not have to. Returns a config unchanged.
 *
 * @throws InvalidOptionsError listing every problem.
 */
export function parseRenderOptions(options: RenderOptions | RenderConfig = {}): RenderConfig {
  const problems = new Problems("render options");
  const config = readRenderOptions(options, problems);
  problems.throwIfAny();
  return config;
}

/**
 * Reads options that are part of a larger options object, for adapters. What is wrong is added to
 * `problems` under `path`; the config is usable only if nothing was added. Never throws.
 */
export function readRenderOptions(source: unknown, problems: Problems, path = ""): RenderConfig {
  if (hasBrand(source, brand)) return source as RenderConfig;
  const reader = new OptionsReader(source === undefined ? {} : source, known, problems, path);
  return Object.freeze({
    [brand]: true,
    headers: readPresets(reader, "headers", ["ietf"]),
    body: readBody(reader),
    costExceedsLimitStatus: readStatus(reader, "costExceedsLimitStatus", [429, 413]),
    gateStatus: readStatus(reader, "gateStatus", [503, 429]),
    slotsHeaderName: readHeaderName(reader, "slotsHeaderName", "slots"),
    priorityHeaderName: readHeaderName(reader, "priorityHeaderName", "x-sluice-priority"),
    saturationHeaderName: readHeaderName(reader, "saturationHeaderName", "x-sluice-saturation"),
  });
}

/** Reads one preset or a list of different ones, for options that take either. Never throws. */
export function readPresets(
  reader: OptionsReader,
  name: string,
  fallback: readonly HeaderPreset[],
): readonly HeaderPreset[] {
  const value = reader.raw(name);
  if (value === undefined) return fallback;
  const presets: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isSound =
    presets.length > 0 &&
    presets.every((preset) => typeof preset === "string" && Object.hasOwn(headerPresets, preset)) &&
    new Set(presets).size === presets.length &&
    (presets.length === 1 || !presets.includes("none"));
  if (isSound) return Object.freeze([...presets] as HeaderPreset[]);
  const names = Object.keys(headerPresets).join(", ");
  reader.problem(name, `one of ${names}, or a list of different ones without none`);
  return fallback;
}

function readHeaderName(reader: OptionsReader, name: string, fallback: string): string {
  return reader.text(name, headerName, headerNameText, fallback);
}

function readBody(reader: OptionsReader): RejectionBody {
  const value = reader.raw("body");
  if (value === undefined || value === "problem") return problemBody;
  if (value === "openai") return openaiBody;
  if (typeof value === "function") return value as RejectionBody;
  reader.problem("body", '"problem", "openai" or a function');
  return problemBody;
}

function readStatus<T extends number>(
  reader: OptionsReader,
  name: string,
  [first, other]: [T, T],
): T {
  const value = reader.raw(name);
  if (value === undefined) return first;
  if (value === first || value === other) return value as T;
  reader.problem(name, `${first} or ${other}`);
  return first;
}
