import { aiPreset } from "./ai";
import { descriptorPreset } from "./descriptor";
import type { HeaderPresetWriter } from "./header-preset";
import { ietfPreset } from "./ietf";
import { legacyPreset } from "./legacy";

/**
 * A family of header fields: `ietf` (RateLimit-Policy, RateLimit), `legacy` (X-RateLimit-*),
 * `descriptor` (x-ratelimit-<kind>-limit-<unit>), `ai` (retry-after-ms, x-should-retry, OpenAI's
 * names), or `none`. Retry-After is no part of any: it is sent whenever a wait helps.
 */
export type HeaderPreset = "ietf" | "legacy" | "descriptor" | "ai" | "none";

const noPreset: HeaderPresetWriter = { writeLimits: () => undefined };

export const headerPresets: Readonly<Record<HeaderPreset, HeaderPresetWriter>> = {
  ietf: ietfPreset,
  legacy: legacyPreset,
  descriptor: descriptorPreset,
  ai: aiPreset,
  none: noPreset,
};
