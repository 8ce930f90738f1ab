import type { Distribution } from "../scenario/distribution";
import type { Phase } from "../scenario/phase";

/** Times of `meanMs` x 0.9 to 1.1, as in all published scenarios. */
export function around(meanMs: number): Distribution {
  return { kind: "uniform", meanMs, spread: 0.1 };
}

/** A phase between two instants in seconds. */
export function phase(name: string, fromS: number, toS: number): Phase {
  return { name, fromMs: fromS * 1_000, toMs: toS * 1_000 };
}
