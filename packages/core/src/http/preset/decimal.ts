/** A count as plain decimal digits, 0 to `max`: no sign, no exponent, no fraction. Never throws. */
export function decimal(value: number, max: number = Number.MAX_SAFE_INTEGER): string {
  // Written so that NaN, too, becomes a number.
  return String(value > 0 ? Math.min(Math.floor(value), max) : 0);
}
