import type { Cost, Question } from "@sluice/core";
import fc from "fast-check";
import { anyDescriptors, type DescriptorShape } from "./any-descriptor";

/** Which costs a test wants to see. */
export interface CostShape {
  /** @defaultValue ["requests", "tokens"], the units that a limiter declares by default */
  readonly units?: readonly string[];
  /** The largest cost per unit. @defaultValue 5 */
  readonly costMax?: number;
}

/** Costs: for each unit nothing, 0, or an integer up to `costMax`. */
export function anyCost(shape: CostShape = {}): fc.Arbitrary<Cost> {
  const { units = ["requests", "tokens"], costMax = 5 } = shape;
  const amount = fc.nat({ max: costMax });
  const amounts = Object.fromEntries(units.map((unit) => [unit, amount]));
  return fc
    .record(amounts, { requiredKeys: [], noNullPrototype: true })
    .map((cost): Cost => definedOnly(cost));
}

/** Questions of 1 to 3 descriptors, with and without a cost. */
export function anyQuestion(
  shape: DescriptorShape & CostShape & { readonly atMost?: number } = {},
): fc.Arbitrary<Question> {
  return fc.record(
    { descriptors: anyDescriptors(shape), cost: anyCost(shape) },
    { requiredKeys: ["descriptors"], noNullPrototype: true },
  );
}

function definedOnly(cost: { readonly [unit: string]: number | undefined }): Cost {
  const defined: Record<string, number> = {};
  for (const [unit, amount] of Object.entries(cost)) {
    if (amount !== undefined) defined[unit] = amount;
  }
  return defined;
}
