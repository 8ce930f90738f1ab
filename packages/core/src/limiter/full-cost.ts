import type { FullCost } from "../engine/command";
import type { Problems } from "../options/problems";
import { isIntegerWithin } from "../options/read";
import type { Cost } from "./question";

/** What was expected of a cost, for messages. */
export const COST_EXPECTED = "a non-negative integer";

export function isCost(value: unknown): value is number {
  return isIntegerWithin(value, 0, Number.MAX_SAFE_INTEGER);
}

/** The units of one limiter, and what a question costs when it does not say. */
export class Units {
  readonly names: readonly string[];
  /** `requests` 1 if it is declared, every other unit 0. */
  readonly defaultCost: FullCost;
  readonly #names: ReadonlySet<string>;

  constructor(names: readonly string[]) {
    this.names = names;
    this.#names = new Set(names);
    this.defaultCost = Object.freeze(
      Object.fromEntries(names.map((name) => [name, name === "requests" ? 1 : 0])),
    );
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** The cost with every declared unit; what is wrong goes to `problems`. */
  complete(cost: Cost, problems: Problems): FullCost {
    if (typeof cost !== "object" || cost === null || Array.isArray(cost)) {
      problems.add("cost", "an object of units and integers", cost);
      return this.defaultCost;
    }
    const full: Record<string, number> = { ...this.defaultCost };
    // Every question comes by here, and a list of its entries would cost more than the check.
    for (const unit in cost) {
      if (!Object.hasOwn(cost, unit)) continue;
      const value = cost[unit];
      if (!this.has(unit)) problems.add(`cost.${unit}`, this.#known(), value);
      else if (value === undefined) continue;
      else if (!isCost(value)) problems.add(`cost.${unit}`, COST_EXPECTED, value);
      else full[unit] = value;
    }
    return full;
  }

  #known(): string {
    return `a declared unit (${this.names.join(", ")})`;
  }
}
