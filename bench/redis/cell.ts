/** One situation in which contenders are compared. */
export interface Cell {
  readonly keys: number;
  readonly limits: number;
  /** Questions under way at any time. */
  readonly inFlight: number;
}

/** One contender in one round, per verdict. */
export interface Round {
  readonly wallUs: number;
  readonly clientUs: number;
  readonly serverUs: number;
  /** Of `serverUs` what passed inside of commands, on the wall. */
  readonly commandUs: number;
}
