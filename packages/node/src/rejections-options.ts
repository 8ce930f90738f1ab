import { OptionsReader, Problems } from "@sluice/core";
import { type RenderConfig, type RenderOptions, readRenderOptions } from "@sluice/core/http";

/**
 * How rejections reach the client: `answer` sends them; `error` hands an `HttpRejectedError` to the
 * error handling of the framework, which answers with its status and headers.
 */
export type RejectionsMode = "answer" | "error";

/** What becomes of rejections. */
export interface RejectionsOptions {
  /** How rejections are answered. */
  readonly render?: RenderOptions | RenderConfig;
  /**
   * Whether rejections are answered by themselves, or go to the error handling.
   *
   * @defaultValue `"answer"`
   */
  readonly rejections?: RejectionsMode;
}

/** {@link RejectionsOptions}, checked and complete. */
export interface RejectionsConfig {
  readonly render: RenderConfig;
  readonly rejections: RejectionsMode;
}

/** The names of the options of {@link RejectionsOptions}. */
export const rejectionsOptions: readonly string[] = ["render", "rejections"];

/** Reads {@link RejectionsOptions}. Never throws; problems are left at the reader. */
export function readRejections(reader: OptionsReader, problems: Problems): RejectionsConfig {
  return {
    render: readRenderOptions(reader.raw("render"), problems, "render"),
    rejections: reader.oneOf("rejections", ["answer", "error"], "answer"),
  };
}

/**
 * Checks {@link RejectionsOptions} once, for `thrownRejection`.
 *
 * @param factory the name of what takes them, for messages.
 * @throws InvalidOptionsError listing every problem.
 */
export function parseRejectionsOptions(
  options: RejectionsOptions,
  factory: string,
): RejectionsConfig {
  const problems = new Problems(`${factory} options`);
  const config = readRejections(new OptionsReader(options, rejectionsOptions, problems), problems);
  problems.throwIfAny();
  return Object.freeze(config);
}
