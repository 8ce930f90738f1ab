/** Sums of shares are of binary fractions: a difference as small as this is none. */
export const SHARE_TOLERANCE = 1e-9;

/** The error of a product of a share and a large capacity, as a part of it. */
const PRODUCT_TOLERANCE = 1e-14;

/**
 * What each share of `max` units amounts to, in whole units: by largest remainder, so that all
 * together are ⌊sum of shares × `max`⌋ and none differs from its exact part by a unit or more.
 * Equal remainders are served in the order given. Pure; never throws.
 *
 * @param shares 0 to 1 each, together at most 1.
 */
export function amountsOf(shares: readonly number[], max: number): readonly number[] {
  const exact = shares.map((share) => share * max);
  const amounts = exact.map(wholeUnits);
  const sum = wholeUnits(shares.reduce((total, share) => total + share, 0) * max);
  const missing = sum - amounts.reduce((total, amount) => total + amount, 0);
  const byRemainder = exact
    .map((part, place) => ({
      place,
      remainder: Math.round((part - (amounts[place] as number)) * 1e9),
    }))
    .sort((a, b) => b.remainder - a.remainder || a.place - b.place);
  for (const { place } of byRemainder.slice(0, Math.max(0, missing))) {
    amounts[place] = (amounts[place] as number) + 1;
  }
  return amounts;
}

function wholeUnits(units: number): number {
  return Math.floor(units + SHARE_TOLERANCE + units * PRODUCT_TOLERANCE);
}
