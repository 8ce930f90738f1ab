import { type ShownLimit, secondsLeft, shareLeft } from "../shown-limits";
import { decimal } from "./decimal";
import type { HeaderFields, HeaderPresetWriter } from "./header-preset";
import { isTighter } from "./tightest";

/**
 * `X-RateLimit-Limit`, `-Remaining` and `-Reset` of one limit: the violated one with the longest
 * wait, else the one of which the smallest share is left.
 *
 * @remarks Widespread, but never specified. `-Reset` is seconds from now, where some servers send
 * an epoch second: a duration does not depend on the client's clock. Slots have no reset.
 */
export const legacyPreset: HeaderPresetWriter = { writeLimits };

function writeLimits(fields: HeaderFields, shown: readonly ShownLimit[]): void {
  const [first, ...others] = shown.map((each) => each.status);
  if (first === undefined) return;
  const status = others.reduce(
    (best, each) => (isTighter(each, best, shareLeft) ? each : best),
    first,
  );
  fields["x-ratelimit-limit"] = decimal(status.max);
  fields["x-ratelimit-remaining"] = decimal(status.remaining);
  if (status.unit !== "slots") fields["x-ratelimit-reset"] = decimal(secondsLeft(status));
}
