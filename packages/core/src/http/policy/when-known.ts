/** A value, or the promise of it. */
export type Soon<T> = T | Promise<T>;

/**
 * Goes on with a value at once if it is there, so that a policy that waits for nothing costs no
 * promise.
 */
export function whenKnown<T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> {
  return isPromise(value) ? value.then(next) : next(value);
}

/** Goes on when all are known, in their order. */
export function whenAllKnown<T, R>(
  values: readonly Soon<T>[],
  next: (values: readonly T[]) => Soon<R>,
): Soon<R> {
  return values.some(isPromise) ? Promise.all(values).then(next) : next(values as readonly T[]);
}

function isPromise<T>(value: Soon<T>): value is Promise<T> {
  return typeof (value as Promise<T> | null | undefined)?.then === "function";
}
