import type { VerdictSource } from "@sluice/core";
import type { StoreUnavailablePolicy } from "../../../src/limiter/limiter-options";

/** How a process of a fleet begins. */
export interface FleetStart {
  readonly library: "ioredis" | "redis";
  /** Of one server, or of the nodes of a cluster. */
  readonly ports: readonly number[];
  readonly prefix: string;
  readonly policy: StoreUnavailablePolicy;
  readonly instances: number;
}

/** What a process of a fleet is told; it answers each with its tally. */
export interface FleetAsk {
  readonly type: "traffic" | "busy" | "slots" | "release" | "tally" | "stop" | "close";
  readonly descriptors: readonly {
    readonly id: string;
    readonly window?: { readonly max: number; readonly windowMs: number };
    readonly slots?: { readonly max: number; readonly leaseMs: number };
  }[];
  readonly everyMs?: number;
  /** Of slots to take. */
  readonly count?: number;
}

/** What a process has been answered so far. */
export interface FleetTally {
  asked: number;
  /** Admitted, by who answered. */
  readonly bySource: Partial<Record<VerdictSource, number>>;
  /** Admitted, by the number of the window of the first descriptor; counted from 1970. */
  readonly byWindowEnd: Record<string, number>;
  /** When the store answered. */
  readonly fromStoreMs: number[];
  readonly held?: number;
}
