import type { SizeBucket } from "./admission-event";

const bounds: readonly (readonly [number, SizeBucket])[] = [
  [1, "0"],
  [1e3, "<1k"],
  [1e4, "<10k"],
  [1e5, "<100k"],
  [1e6, "<1M"],
  [1e7, "<10M"],
  [1e8, "<100M"],
];

/** The bucket of an amount; `undefined` if it is none. */
export function sizeBucketOf(amount: unknown): SizeBucket | undefined {
  if (typeof amount !== "number" || !(amount >= 0)) return undefined;
  for (const [below, bucket] of bounds) if (amount < below) return bucket;
  return ">=100M";
}
