/**
 * The port through which the core takes chance: ids, jitter, probabilities and samples. Nothing
 * else in the core reads randomness.
 *
 * Limiters that share a store must not repeat each other's numbers, as two `Random`s of one seed
 * do: what one of them charged would be taken for the other's.
 */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** An id that no other call in any process returns: 1 to 64 characters of `[A-Za-z0-9_-]`. */
  id(): string;
}
