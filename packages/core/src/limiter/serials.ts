/** Serials of a limiter stay small integers, which engines and stores keep cheaply. */
export const SERIALS = 2 ** 30;

/**
 * The serial of what a limiter charges in its own memory while its store is away. These lie above
 * all others, so that a settlement tells by its serial who holds the charge.
 */
export function localSerial(serial: number): number {
  return SERIALS + (serial % SERIALS);
}

/** Whether a charge is held in the memory of the limiter. */
export function isLocalSerial(serial: number): boolean {
  return serial >= SERIALS;
}
