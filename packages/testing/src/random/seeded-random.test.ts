import { InvalidOptionsError, type Random } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRandom } from "./seeded-random";

const draw = (random: Random, count: number) => Array.from({ length: count }, () => random.next());

describe("seededRandom", () => {
  it("repeats its numbers and ids for the same seed", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (seed) => {
        const [a, b] = [seededRandom(seed), seededRandom(seed)];
        expect(draw(a, 20)).toEqual(draw(b, 20));
        expect([a.id(), a.id()]).toEqual([b.id(), b.id()]);
      }),
    );
  });

  it("gives these numbers for seed 1, now and in every later version", () => {
    const frozen = [0.5395917909876917, 0.722251759727127, 0.9240838341321501];
    expect(draw(seededRandom(1), 3)).toEqual(frozen);
  });

  it("gives other numbers for another seed, also one that differs only above 32 bits", () => {
    const seeds = [0, 1, 2, -1, 2 ** 32, 2 ** 32 + 1, -(2 ** 40), Number.MAX_SAFE_INTEGER];
    const firsts = seeds.map((seed) => draw(seededRandom(seed), 4).join());
    expect(new Set(firsts).size).toBe(seeds.length);
  });

  it("draws numbers of 0 or more and below 1, as many in each tenth, on each of 20 seeds", () => {
    for (let seed = 0; seed < 20; seed++) {
      const tenths = new Array<number>(10).fill(0);
      for (const each of draw(seededRandom(seed), 10_000)) {
        const tenth = Math.floor(each * 10);
        tenths[tenth] = (tenths[tenth] ?? 0) + 1;
      }
      expect(tenths).toHaveLength(10);
      // 1 000 are due in each; 150 is five standard deviations.
      for (const count of tenths) expect(Math.abs(count - 1_000)).toBeLessThan(150);
    }
  });

  it("draws a next number that does not follow from the last one", () => {
    const drawn = draw(seededRandom(7), 20_000);
    let bothHigh = 0;
    for (let at = 1; at < drawn.length; at++) {
      if ((drawn[at - 1] ?? 0) >= 0.5 && (drawn[at] ?? 0) >= 0.5) bothHigh += 1;
    }
    // A quarter of the pairs are due; 500 is over eight standard deviations.
    expect(Math.abs(bothHigh - 5_000)).toBeLessThan(500);
  });

  it("makes ids that hold the seed, are of the alphabet of the port and differ", () => {
    for (const seed of [0, 42, -42, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
      const random = seededRandom(seed);
      const ids = Array.from({ length: 100 }, () => random.id());
      expect(new Set(ids).size).toBe(100);
      for (const id of ids) {
        expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(id).toContain(String(seed));
      }
    }
  });

  it.each([Number.NaN, 0.5, Number.POSITIVE_INFINITY, "7"])("refuses the seed %s", (seed) => {
    expect(() => seededRandom(seed as number)).toThrow(InvalidOptionsError);
  });
});
