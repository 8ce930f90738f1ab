import type { SlidingLogLimit, SlidingWindowLimit } from "@sluice/core";
import { ListBook } from "./list-book";

/** Every charge counts for exactly `windowMs`. */
export function slidingLogBook(): ListBook<SlidingLogLimit> {
  return new ListBook((limit, charge) => charge.atMs + limit.windowMs, false);
}

/** Every charge counts until its bucket, one of those cut since the epoch, has left the window. */
export function slidingWindowBook(): ListBook<SlidingWindowLimit> {
  return new ListBook((limit, charge) => {
    const bucketMs = limit.windowMs / limit.buckets;
    const bucket = Math.floor(charge.atMs / bucketMs);
    return (bucket + limit.buckets + 1) * bucketMs;
  }, true);
}
