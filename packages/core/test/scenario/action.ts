import type { Cost, Descriptor, Question } from "@sluice/core";

/**
 * A step after everything was picked: it can be done again on another stage and means the same
 * there. Permits are numbered by the questions that were asked, admitted or not.
 */
export type Action =
  | { readonly do: "ask"; readonly question: Question }
  | { readonly do: "ask and crash"; readonly question: Question }
  | { readonly do: "peek"; readonly question: Question }
  | { readonly do: "settle"; readonly permit: number; readonly actual: Cost }
  | { readonly do: "release"; readonly permit: number }
  | { readonly do: "refund"; readonly permit: number }
  | { readonly do: "reset"; readonly descriptors: readonly Descriptor[] }
  | { readonly do: "wait"; readonly ms: number }
  /** Keeps the numbers of permits in step with a play in which something was asked here. */
  | { readonly do: "skip" };
