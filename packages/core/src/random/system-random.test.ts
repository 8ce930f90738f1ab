import { describe, expect, it } from "vitest";
import { systemRandom } from "./system-random";

describe("systemRandom", () => {
  it("draws numbers of 0 or more and below 1 that differ", () => {
    const random = systemRandom();
    const drawn = Array.from({ length: 1_000 }, () => random.next());
    expect(drawn.every((each) => each >= 0 && each < 1)).toBe(true);
    expect(new Set(drawn).size).toBeGreaterThan(990);
  });

  it("makes ids of 17 to 64 characters of the alphabet of the port", () => {
    const random = systemRandom();
    for (let made = 0; made < 1_000; made++) expect(random.id()).toMatch(/^[A-Za-z0-9_-]{17,64}$/);
  });

  it("never makes an id twice, also with several of them in one process", () => {
    const randoms = Array.from({ length: 100 }, () => systemRandom());
    const ids = new Set(
      randoms.flatMap((random) => Array.from({ length: 100 }, () => random.id())),
    );
    expect(ids.size).toBe(10_000);
  });

  it("starts the ids of each with a prefix in which all 96 bits vary", () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    // A bit that is right stays the same in 300 draws with a chance of 2 to the power of -299.
    const prefixes = Array.from({ length: 300 }, () => systemRandom().id().slice(0, 16));
    for (let place = 0; place < 16; place++) {
      const values = prefixes.map((prefix) => alphabet.indexOf(prefix.charAt(place)));
      const everSet = values.reduce((bits, value) => bits | value, 0);
      const alwaysSet = values.reduce((bits, value) => bits & value, 63);
      expect([place, everSet, alwaysSet]).toEqual([place, 63, 0]);
    }
  });
});
