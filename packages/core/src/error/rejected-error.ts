import type { Rejected } from "../verdict/verdict";
import { hasBrand } from "./brand";

const brand = Symbol.for("sluice.RejectedError");

/**
 * Thrown only by the convenience `run(fn)`, for callers that want control flow; carries the
 * verdict.
 */
export class RejectedError extends Error {
  override readonly name = "RejectedError";
  readonly code = "SLUICE_REJECTED";
  readonly verdict: Rejected;
  readonly [brand] = true;

  constructor(verdict: Rejected) {
    const { reason, retryAfterMs } = verdict.rejection;
    const wait = retryAfterMs === undefined ? "" : `, retry after ${retryAfterMs} ms`;
    super(`Rejected: ${reason}${wait}`);
    this.verdict = verdict;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasBrand(value, brand);
  }
}
