/** One line of a naive book: so many units, charged at this instant. Corrections change `units`. */
export interface Charge {
  readonly atMs: number;
  units: number;
}

/** The sum of the units of all lines. */
export function sumOf(charges: readonly Charge[]): number {
  return charges.reduce((sum, charge) => sum + charge.units, 0);
}
