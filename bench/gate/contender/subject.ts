/** A gate under measurement. Its loop is its own, so that no two share compiled code. */
export interface Subject {
  /** Lets `count` requests in and out, one after the other; each is awaited. */
  pass(count: number): Promise<void>;
}
