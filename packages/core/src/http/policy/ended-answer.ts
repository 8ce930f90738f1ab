/** How an answer has ended, as the `refundWhen` of an adapter hears it. */
export interface EndedAnswer {
  /** The status that was sent, or would have been. */
  readonly status: number;
  /** Whether the whole answer was sent; false if the client left before. */
  readonly isComplete: boolean;
}

/** For `refundWhen`: a whole answer with a status below 400, so that only failures count. */
export function succeeded({ status, isComplete }: EndedAnswer): boolean {
  return isComplete && status < 400;
}

/**
 * For `refundWhen`: a status of 400 or more, or an answer that the client did not wait for, so that
 * only what succeeded counts. A client that leaves early, or asks for what does not exist, is then
 * not limited; where that costs work use {@link serverFailed}.
 */
export function failed(ended: EndedAnswer): boolean {
  return !succeeded(ended);
}

/** For `refundWhen`: a whole answer with a status of 500 or more, no fault of the caller. */
export function serverFailed({ status, isComplete }: EndedAnswer): boolean {
  return isComplete && status >= 500;
}
