/** A value, or the promise of it. */
export type Soon<T> = T | Promise<T>;

/**
 * Goes on with a value at once if it is there, so that a policy that waits for nothing costs no
 * promise.
 */
export function whenKnown<T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> {
  return isPromise(value) ? value.then(next) : next(value);
}

/**
 * Asks for each value and goes on when all are known, in their order. Where one throws, what those
 * before it promised is of no interest any more: a rejection among them must not end the process.
 */
export function whenAllKnown<T, R>(
  asks: readonly (() => Soon<T>)[],
  next: (values: readonly T[]) => Soon<R>,
): Soon<R> {
  const values: Soon<T>[] = [];
  try {
    for (const ask of asks) values.push(ask());
  } catch (error) {
    for (const value of values) if (isPromise(value)) value.then(undefined, () => {});
    throw error;
  }
  return values.some(isPromise) ? Promise.all(values).then(next) : next(values as readonly T[]);
}

function isPromise<T>(value: Soon<T>): value is Promise<T> {
  return typeof (value as Promise<T> | null | undefined)?.then === "function";
}
