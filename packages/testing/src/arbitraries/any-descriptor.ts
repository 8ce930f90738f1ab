import type { Descriptor, Limit } from "@sluice/core";
import fc from "fast-check";
import { anyId, subjectOf } from "./any-id";
import { anyLimits } from "./any-limit";

/** Which descriptors a test wants to see. */
export interface DescriptorShape {
  /** @defaultValue `anyLimits()`: 1 to 4 limits of all kinds and sizes */
  readonly limits?: fc.Arbitrary<readonly Limit[]>;
  /** @defaultValue `anyId()`, with ids that have broken limiters */
  readonly ids?: fc.Arbitrary<Descriptor["id"]>;
}

/** Kinds of descriptors, from the shortest to the longest allowed. */
export function anyKind(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom("key", "team", "model_per_team", "constructor", "k.1-x", "K".repeat(64)),
    fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.-]{0,10}$/),
  );
}

/** Descriptors that a limiter accepts, whatever their ids hold. */
export function anyDescriptor(shape: DescriptorShape = {}): fc.Arbitrary<Descriptor> {
  return fc.record(
    { kind: anyKind(), id: shape.ids ?? anyId(), limits: shape.limits ?? anyLimits() },
    { noNullPrototype: true },
  );
}

/**
 * Lists of 1 to `atMost` descriptors (3 by default) of different subjects, as one question may
 * hold.
 */
export function anyDescriptors(
  shape: DescriptorShape & { readonly atMost?: number } = {},
): fc.Arbitrary<readonly Descriptor[]> {
  return fc.uniqueArray(anyDescriptor(shape), {
    minLength: 1,
    maxLength: shape.atMost ?? 3,
    selector: ({ kind, id }) => `${kind} ${subjectOf(id)}`,
  });
}
