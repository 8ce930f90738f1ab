import type { Milliseconds } from "../../limit/limit";
import type { Reason } from "../../verdict/verdict";
import type { ShownLimit } from "../shown-limits";

/** Header fields by lower-case name. */
export type HeaderFields = Record<string, string>;

/** What a preset may know besides the limits. */
export interface HeaderContext {
  /** How `slots` is written in header names. */
  readonly slotsHeaderName: string;
}

/** What a preset may know of a rejection. */
export interface RejectionFacts {
  readonly reason: Reason;
  readonly retryable: boolean;
  /** Whole milliseconds, at least 1; undefined when no wait helps or none is known. */
  readonly waitMs: Milliseconds | undefined;
}

/** One family of header fields. Each method adds to `fields` and changes nothing else. */
export interface HeaderPresetWriter {
  /** Where the limits stand; on every answer. */
  writeLimits(fields: HeaderFields, shown: readonly ShownLimit[], context: HeaderContext): void;
  /** What only a rejection says, besides Retry-After. */
  writeRejection?(fields: HeaderFields, facts: RejectionFacts): void;
}
