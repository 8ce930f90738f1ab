import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { AdaptiveLimit } from "@sluice/core";
import { fixedLimit, type SimulatedWorld } from "@sluice/testing";

/** What makes a limit for one run. */
export type LimitFactory = (world: SimulatedWorld) => AdaptiveLimit;

/** The limits that the command knows, by the names that it is given. */
const limits: Readonly<Record<string, LimitFactory>> = {};

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
