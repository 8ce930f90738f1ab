import { InvalidOptionsError } from "../error/invalid-options-error";
import { describe } from "../options/problems";
import type { LimitStatus } from "../verdict/verdict";
import type { AnyRejected, RenderedBody } from "./body/rejection-body";
import { poolRefusal } from "./pool-refusal";
import type { HeaderFields } from "./preset/header-preset";
import { headerPresets } from "./preset/presets";
import { parseRenderOptions, type RenderConfig, type RenderOptions } from "./render-options";
import { isFieldValue, isRenderedAnswer, type RenderedAnswer } from "./rendered-answer";
import { retryAfterSeconds, waitMs } from "./retry-after";
import { shownLimits } from "./shown-limits";
import { statusCodeOf } from "./status-code";

/**
 * The answer to a rejected request, or null when there is none to give: `aborted` (nobody is there)
 * and the outbound reasons. Pure.
 *
 * Retry-After is sent whenever a wait helps and is known, with any preset and with none. If a
 * gate's
 * `onReject` returned a {@link RenderedAnswer}, that is the answer, unchanged.
 *
 * @throws InvalidOptionsError if options are bad or an own body function returns an unusable body;
 *   whatever that function throws.
 */
export function renderRejection(
  rejected: AnyRejected,
  options: RenderOptions | RenderConfig = {},
): RenderedAnswer | null {
  const config = parseRenderOptions(options);
  const { rejection, statuses } = rejected;
  const status = statusCodeOf(rejection.reason, config);
  if (status === null) return null;
  if ("degraded" in rejected && isRenderedAnswer(rejected.degraded)) return rejected.degraded;
  const { contentType, text } = checkedBody(config.body(rejected, status));
  const headers: HeaderFields = { "content-type": contentType };
  const seconds = retryAfterSeconds(rejection);
  if (seconds !== undefined) headers["retry-after"] = String(seconds);
  writeLimits(headers, statuses, config);
  writePool(headers, rejected, config);
  const { reason, retryable } = rejection;
  const facts = { reason, retryable, waitMs: waitMs(rejection) };
  for (const preset of config.headers) headerPresets[preset].writeRejection?.(headers, facts);
  return { status, headers, body: text };
}

/**
 * The header fields of an admitted answer by lower-case name: where its limits stand, a snapshot
 * from the moment of admission. Empty if no limit can be shown. Pure.
 *
 * @throws InvalidOptionsError if options are bad.
 */
export function renderHeaders(
  statuses: readonly LimitStatus[],
  options: Pick<RenderOptions, "headers" | "slotsHeaderName"> | RenderConfig = {},
): Readonly<Record<string, string>> {
  const headers: HeaderFields = {};
  writeLimits(headers, statuses, parseRenderOptions(options));
  return headers;
}

function writeLimits(
  headers: HeaderFields,
  statuses: readonly LimitStatus[],
  config: RenderConfig,
): void {
  if (statuses.length === 0) return;
  const shown = shownLimits(statuses);
  for (const preset of config.headers) headerPresets[preset].writeLimits(headers, shown, config);
}

/** The class that a pool refused and, where a unit held it to its share, how full the pool is. */
function writePool(headers: HeaderFields, rejected: AnyRejected, config: RenderConfig): void {
  const refusal = poolRefusal(rejected);
  if (refusal === undefined) return;
  const { pool } = refusal.status;
  headers[config.priorityHeaderName] = pool.class;
  if (!refusal.violated.some((each) => each.pool.ceiling === "share")) return;
  headers[config.saturationHeaderName] = `${(pool.saturation * 100).toFixed(2)}%`;
}

function checkedBody(body: RenderedBody): RenderedBody {
  const { contentType, text } = body ?? {};
  const problems = [];
  if (typeof contentType !== "string" || contentType === "" || !isFieldValue(contentType)) {
    problems.push({
      path: "body(...).contentType",
      expected: "a media type in printable ASCII",
      received: describe(contentType),
    });
  }
  if (typeof text !== "string") {
    problems.push({ path: "body(...).text", expected: "a string", received: describe(text) });
  }
  if (problems.length > 0) throw new InvalidOptionsError("rejection body", problems);
  return body;
}
