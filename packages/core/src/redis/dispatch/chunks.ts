import type { Pending } from "./pending";

/**
 * The most work that shares a call, in units of one counter judged and charged (about 10
 * microseconds): a script runs for about half a millisecond at most then, and holds other users of
 * the server up by no more. A single command is never taken apart, however heavy.
 */
const CHUNK_WEIGHT_MAX = 32;

/** Cuts commands of one kind and one place into calls, in their order. */
export function chunksOf(waiting: readonly Pending[]): readonly (readonly Pending[])[] {
  const chunks: Pending[][] = [];
  let chunk: Pending[] = [];
  let weight = 0;
  for (const pending of waiting) {
    const own = pending.operation.weight(pending.command);
    if (chunk.length > 0 && weight + own > CHUNK_WEIGHT_MAX) {
      chunks.push(chunk);
      chunk = [];
      weight = 0;
    }
    chunk.push(pending);
    weight += own;
  }
  if (chunk.length > 0) chunks.push(chunk);
  return chunks;
}
