import type { StoreTrial } from "./store-trial";

/** One thing that every store has to do. */
export interface StoreCase {
  readonly name: string;
  /** Left out where time passes by itself. @defaultValue false */
  readonly needsExactTime?: true;
  readonly run: (at: StoreTrial) => Promise<void>;
}
