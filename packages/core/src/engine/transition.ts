import type { DescriptorState } from "./state";

/**
 * What a command made of the states of its targets, in their order, and the answer. A state that
 * did not change is the same object.
 */
export interface Transition<Reply> {
  readonly states: readonly DescriptorState[];
  readonly reply: Reply;
}
