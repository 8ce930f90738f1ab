import type { ShownLimit } from "../shown-limits";
import { decimal } from "./decimal";
import type { HeaderContext, HeaderFields, HeaderPresetWriter } from "./header-preset";
import { tightestBy } from "./tightest";

/**
 * `x-ratelimit-<kind>-limit-<unit>` and `x-ratelimit-<kind>-remaining-<unit>` for each kind of
 * descriptor and unit; of several limits of one kind and unit the tightest.
 *
 * @remarks The names are LiteLLM's. There two descriptors of one kind overwrite each other, so that
 * the last one shows.
 */
export const descriptorPreset: HeaderPresetWriter = { writeLimits };

function writeLimits(
  fields: HeaderFields,
  shown: readonly ShownLimit[],
  { slotsHeaderName }: HeaderContext,
): void {
  // A space cannot occur in a kind, so it separates kind and unit without doubt.
  const tightest = tightestBy(
    shown,
    ({ descriptor, unit }) => `${descriptor.kind.toLowerCase()} ${unit}`,
  );
  for (const status of tightest.values()) {
    const kind = status.descriptor.kind.toLowerCase();
    const unit = status.unit === "slots" ? slotsHeaderName : status.unit.toLowerCase();
    fields[`x-ratelimit-${kind}-limit-${unit}`] = decimal(status.max);
    fields[`x-ratelimit-${kind}-remaining-${unit}`] = decimal(status.remaining);
  }
}
