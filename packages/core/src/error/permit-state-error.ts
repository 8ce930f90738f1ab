import { hasBrand } from "./brand";

const brand = Symbol.for("sluice.PermitStateError");

/**
 * A permit was settled, or told of a usage, with a cost that is not a non-negative integer or with
 * a unit that was not declared. A mistake of the program; the permit stays open.
 */
export class PermitStateError extends Error {
  override readonly name = "PermitStateError";
  readonly code = "SLUICE_PERMIT_STATE";
  readonly permitId: string;
  readonly [brand] = true;

  constructor(message: string, permitId: string) {
    super(message);
    this.permitId = permitId;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasBrand(value, brand);
  }
}
