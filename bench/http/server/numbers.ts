/** Never reached. */
const PLENTY = 1_000_000_000;

/** Of windows that are not over before the measurement is. */
export const HOUR_MS = 3_600_000;

/** How many requests of a caller are admitted: all, or the first and no other. */
export function maxOf(isRejected: boolean): number {
  return isRejected ? 1 : PLENTY;
}
