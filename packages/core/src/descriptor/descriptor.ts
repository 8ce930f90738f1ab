import type { DescriptorLimit } from "../limit/limit";

/**
 * What is limited: a kind of subject, which subject, and the limits that hold for it.
 *
 * `kind` is a name of 1 to 64 characters of `[A-Za-z0-9_.-]` that starts with a letter. `id` is one
 * text or a list of texts, each not empty; two different ids never share state, whatever characters
 * they hold (`["a:b", "c"]` and `["a", "b:c"]` are two subjects). A list of one text is that text.
 */
export interface Descriptor {
  readonly kind: string;
  readonly id: string | readonly string[];
  /** 1 to 16 limits with different names. */
  readonly limits: readonly DescriptorLimit[];
}
