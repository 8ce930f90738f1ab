import type { Milliseconds } from "@sluice/core";
import { TimedLatencies } from "./timed-latencies";

/** What happened in one second. Counts are of attempts, except `requests` and `failed`. */
export interface SecondCounts {
  requests: number;
  attempts: number;
  started: number;
  rejected: number;
  /** Ended, and the client was still there. */
  completed: number;
  /** Given up by their clients after they had been let in. */
  timedOut: number;
  /** Requests whose last attempt was refused or given up. */
  failed: number;
}

const noCounts = (): SecondCounts => ({
  requests: 0,
  attempts: 0,
  started: 0,
  rejected: 0,
  completed: 0,
  timedOut: 0,
  failed: 0,
});

/** Counts what happens to the requests of one source, or of all, second by second. */
export class Meter {
  readonly seconds: readonly SecondCounts[];
  /** Of completed attempts, from their arrival at the door. */
  readonly latencies = new TimedLatencies();
  /** Of streams, from their arrival at the door to their first byte. */
  readonly firstBytes = new TimedLatencies();

  constructor(durationMs: Milliseconds) {
    this.seconds = Array.from({ length: Math.ceil(durationMs / 1_000) }, noCounts);
  }

  count(what: keyof SecondCounts, atMs: Milliseconds): void {
    const second = this.seconds[Math.floor(atMs / 1_000)];
    if (second !== undefined) second[what] += 1;
  }
}
