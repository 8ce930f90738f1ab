import { pathToFileURL } from "node:url";
import type { AdaptiveLimit } from "@sluice/core";
import type { SimulatedWorld } from "@sluice/testing";

/** What makes a limit for one run. */
export type LimitFactory = (world: SimulatedWorld) => AdaptiveLimit;

/** The limits that the command knows, by the names that it is given. */
export const limits: Readonly<Record<string, LimitFactory>> = {};

/**
 * The limit of a name of {@link limits}, or of a module (a path that ends in `.ts`) that exports
 * `limit`, a function from the simulated world to an adaptive limit.
 */
export async function limitOf(name: string): Promise<LimitFactory> {
  const known = limits[name];
  if (known !== undefined) return known;
  if (!name.endsWith(".ts")) {
    const names = Object.keys(limits).join(", ");
    throw new Error(`No limit ${name}; there are ${names}, and modules (x.ts) that export one`);
  }
  const module: { limit?: LimitFactory } = await import(pathToFileURL(name).href);
  if (module.limit === undefined) throw new Error(`${name} exports no limit`);
  return module.limit;
}
