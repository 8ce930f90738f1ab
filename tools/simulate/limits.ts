import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type AdaptiveLimit,
  adaptiveLimit,
  aimd,
  gradient,
  gradient2,
  type LimitAlgorithm,
  vegas,
  windowSampler,
} from "@sluice/core";
import { fixedLimit, type SimulatedWorld } from "@sluice/testing";

import { BareLimit } from "./bare-limit";

/** What makes a limit for one run. */
export type LimitFactory = (world: SimulatedWorld) => AdaptiveLimit;

/** The published algorithms, with the settings under which they have been measured before. */
const algorithms: Readonly<Record<string, (world: SimulatedWorld) => LimitAlgorithm>> = {
  aimd: () => aimd({ min: 5, timeoutMs: 1_000 }),
  vegas: ({ random }) => vegas({ random }),
  "vegas-window": ({ random }) => windowed(vegas({ random })),
  gradient: ({ random }) => gradient({ random }),
  gradient2: () => gradient2(),
  "gradient2-window": () => windowed(gradient2({ min: 1 })),
};

function windowed(algorithm: LimitAlgorithm): LimitAlgorithm {
  return windowSampler({ algorithm, minSamples: 10 });
}

/** Those who published them know no bound of growth per second. */
const maxGrowthPerSecond = 1_000;

/** The limits that the command knows, by the names that it is given; ours first. */
export const limits: Readonly<Record<string, LimitFactory>> = Object.fromEntries([
  ["ours", (world: SimulatedWorld) => adaptiveLimit(world)],
  ...Object.entries(algorithms).flatMap(([name, algorithmOf]) => [
    [
      name,
      (world: SimulatedWorld) =>
        adaptiveLimit({ ...world, algorithm: algorithmOf(world), maxGrowthPerSecond }),
    ],
    [`${name}-bare`, (world: SimulatedWorld) => new BareLimit(algorithmOf(world), world)],
  ]),
]);

/** What `--limit` may say, for the usage. */
export const limitNames = [...Object.keys(limits), "fixed-30 (any number)"].join(", ");

/**
 * The limit of a known name, a fixed one (`fixed-30`), or that of a module (a path that ends in
 * `.ts`) that exports `limit`, a function from the simulated world to an adaptive limit.
 *
 * @throws Error if there is none.
 */
export async function limitOf(name: string): Promise<LimitFactory> {
  const known = limits[name];
  if (known !== undefined) return known;
  const fixed = /^fixed-(\d+)$/.exec(name)?.[1];
  if (fixed !== undefined) return () => fixedLimit(Number(fixed));
  if (!name.endsWith(".ts")) {
    throw new Error(`No limit ${name}; there are ${limitNames}, and modules that export one`);
  }
  const module: { limit?: LimitFactory } = await import(pathToFileURL(resolve(name)).href);
  if (module.limit === undefined) throw new Error(`${name} exports no limit`);
  return module.limit;
}
