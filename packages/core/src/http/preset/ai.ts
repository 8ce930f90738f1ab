import type { Milliseconds } from "../../limit/limit";
import type { ShownLimit } from "../shown-limits";
import { decimal } from "./decimal";
import type { HeaderFields, HeaderPresetWriter, RejectionFacts } from "./header-preset";
import { tightestBy } from "./tightest";

/**
 * What AI clients read: `x-ratelimit-limit-<unit>`, `-remaining-<unit>` and `-reset-<unit>` of the
 * tightest limit of each unit (slots excepted), and on rejections `retry-after-ms` and, when asking
 * again soon is useless, `x-should-retry: false`.
 *
 * @remarks The names are OpenAI's, the form of reset is Go's (`12ms`, `1s`, `6m0s`). The official
 * clients ignore a wait above a minute and come back within seconds; `x-should-retry` stops them.
 */
export const aiPreset: HeaderPresetWriter = { writeLimits, writeRejection };

const patienceMs = 60_000;

function writeLimits(fields: HeaderFields, shown: readonly ShownLimit[]): void {
  const tightest = tightestBy(shown, ({ unit }) => (unit === "slots" ? undefined : unit));
  for (const status of tightest.values()) {
    const unit = status.unit.toLowerCase();
    fields[`x-ratelimit-limit-${unit}`] = decimal(status.max);
    fields[`x-ratelimit-remaining-${unit}`] = decimal(status.remaining);
    const resetMs = status.retryAfterMs ?? status.resetAfterMs;
    fields[`x-ratelimit-reset-${unit}`] = goDuration(resetMs);
  }
}

function writeRejection(fields: HeaderFields, facts: RejectionFacts): void {
  const { retryable, reason, waitMs } = facts;
  if (waitMs !== undefined) fields["retry-after-ms"] = decimal(waitMs);
  // A hint says nothing about the true wait, so only an exact one stops a client.
  const isExact = reason === "window_exhausted" || reason === "share_exhausted";
  const isTooLong = isExact && (waitMs ?? 0) > patienceMs;
  if (!retryable || isTooLong) fields["x-should-retry"] = "false";
}

/** A duration as Go prints it, to the millisecond: `0s`, `250ms`, `1.5s`, `6m0s`, `24h0m0s`. */
function goDuration(durationMs: Milliseconds): string {
  const ms = Math.min(Math.max(0, Math.ceil(durationMs)), Number.MAX_SAFE_INTEGER);
  if (ms > 0 && ms < 1000) return `${ms}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = `${(ms % 60_000) / 1000}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}
