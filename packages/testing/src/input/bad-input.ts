import { InvalidOptionsError } from "@sluice/core";

/** The error for one bad value that a test gave, with what would have been right. */
export function badInput(
  subject: string,
  path: string,
  expected: string,
  value: unknown,
): InvalidOptionsError {
  const received = `${String(value)} (${typeof value})`;
  return new InvalidOptionsError(subject, [{ path, expected, received }]);
}

/** @throws InvalidOptionsError if `value` is not an integer of 0 or more. */
export function requireMilliseconds(subject: string, path: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw badInput(subject, path, "an integer of 0 or more", value);
}
