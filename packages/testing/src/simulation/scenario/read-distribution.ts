import { OptionsReader, type Problems } from "@sluice/core";
import { type NumberBounds, requiredNumber } from "./required-number";

/** No service takes longer than a day. */
const time: NumberBounds = { min: 0, max: 86_400_000, isAbove: true };
const share: NumberBounds = { min: 0, max: 1 };

const kinds: Readonly<Record<string, Readonly<Record<string, NumberBounds>>>> = {
  constant: { meanMs: time },
  uniform: { meanMs: time, spread: share },
  exponential: { meanMs: time },
  lognormal: { meanMs: time, sigma: { min: 0, max: 5 } },
  bimodal: { fastMs: time, slowMs: time, slowShare: share },
};

/** Adds to `problems` what is wrong with a distribution. */
export function checkDistribution(given: unknown, problems: Problems, path: string): void {
  const kind = (given as { readonly kind?: unknown } | null | undefined)?.kind;
  const options = typeof kind === "string" && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (options === undefined) {
    const received = kind ?? given;
    problems.add(`${path}.kind`, `one of ${Object.keys(kinds).join(", ")}`, received);
    return;
  }
  const reader = new OptionsReader(given, ["kind", ...Object.keys(options)], problems, path);
  for (const [name, bounds] of Object.entries(options)) requiredNumber(reader, name, bounds);
}
