import { describe, expect, it } from "vitest";
import { Buckets } from "./buckets";

const HASHES = Array.from({ length: 3_000 }, (_, index) => Math.imul(index, 0x9e3779b1));

describe("Buckets", () => {
  it("moves hashes only out of the bucket that it names, and only into the new one", () => {
    const buckets = new Buckets();
    while (buckets.count < 2_500) {
      const before = HASHES.map((hash) => buckets.of(hash));
      const from = buckets.add();
      for (const [index, hash] of HASHES.entries()) {
        const now = buckets.of(hash);
        if (now === before[index]) continue;
        expect([before[index], now]).toEqual([from, buckets.count - 1]);
      }
    }
    expect(new Set(HASHES.map((hash) => buckets.of(hash))).size).toBeGreaterThan(1_500);
  });

  it("goes back the way it came", () => {
    const buckets = new Buckets();
    const came: string[] = [];
    const places = () => HASHES.map((hash) => buckets.of(hash)).join();
    while (buckets.count < 1_100) {
      came.push(places());
      buckets.add();
    }
    while (came.length > 0) {
      expect(buckets.isRemovable).toBe(true);
      buckets.removeLast();
      expect(places()).toBe(came.pop());
    }
    expect(buckets.isRemovable).toBe(false);
  });

  it("keeps heads, and finds a bucket that is added again empty", () => {
    const buckets = new Buckets();
    while (buckets.count < 3_000) {
      buckets.add();
      expect(buckets.head(buckets.count - 1)).toBe(0);
      buckets.setHead(buckets.count - 1, buckets.count);
    }
    for (let bucket = 64; bucket < 3_000; bucket += 1) {
      expect(buckets.head(bucket)).toBe(bucket + 1);
    }
    while (buckets.count > 1_000) buckets.removeLast();
    while (buckets.count < 3_000) {
      buckets.add();
      expect(buckets.head(buckets.count - 1)).toBe(0);
    }
    buckets.clear();
    expect(buckets.isRemovable).toBe(false);
    for (let bucket = 0; bucket < buckets.count; bucket += 1) expect(buckets.head(bucket)).toBe(0);
  });
});
