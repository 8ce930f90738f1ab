import { type FixedWindowLimit, fixedWindow } from "@sluice/core";
import { PLENTY, perLimit, type Setting, windowMsOf } from "./subject";

/** The limits of a setting: constants of a policy, made once. `lastMax` is for the last of them. */
export function sluiceLimits(setting: Setting, lastMax = PLENTY): readonly FixedWindowLimit[] {
  return perLimit(setting, (place) =>
    fixedWindow({
      unit: "requests",
      max: place === setting.limits - 1 ? lastMax : PLENTY,
      windowMs: windowMsOf(setting, place),
    }),
  );
}
