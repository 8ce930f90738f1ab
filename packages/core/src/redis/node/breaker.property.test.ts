import { FakeClock, seededRandom } from "@sluice/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../test/runs";
import { Breaker } from "./breaker";

const move = fc.oneof(
  { weight: 4, arbitrary: fc.constant("ask" as const) },
  { weight: 3, arbitrary: fc.constant("fail" as const) },
  { weight: 2, arbitrary: fc.constant("succeed" as const) },
  { weight: 1, arbitrary: fc.constant("news" as const) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 6_000 }) },
);

const play = fc.record({ seed: fc.integer(), moves: fc.array(move, { maxLength: 200 }) });

/** Plays moves; calls that went are answered in the order in which they went. */
function stageFor(seed: number) {
  const clock = new FakeClock();
  const breaker = new Breaker(clock, seededRandom(seed));
  const flying: ("pass" | "probe")[] = [];
  const make = (what: "ask" | "fail" | "succeed" | "news" | number) => {
    if (typeof what === "number") return clock.advance(what);
    if (what === "news") return breaker.probeNow();
    if (what === "ask") {
      const pass = breaker.tryPass();
      if (pass !== "refuse") flying.push(pass);
      return;
    }
    const pass = flying.shift();
    if (pass === undefined) return;
    if (what === "fail") breaker.failed(pass);
    else breaker.succeeded(pass);
  };
  return { clock, breaker, flying, make };
}

describe("Whatever happens, a breaker", () => {
  it("has at most one probe under way, and none while it is closed", () => {
    fc.assert(
      fc.property(play, ({ seed, moves }) => {
        const { breaker, flying, make } = stageFor(seed);
        for (const what of moves) {
          make(what);
          const probes = flying.filter((pass) => pass === "probe").length;
          expect(probes).toBe(breaker.state === "half-open" ? 1 : 0);
        }
      }),
      runs(300),
    );
  });

  it("lets everything pass while it is closed and nothing but the probe while it is not", () => {
    fc.assert(
      fc.property(play, ({ seed, moves }) => {
        const { breaker, make } = stageFor(seed);
        for (const what of moves) make(what);
        const before = breaker.state;
        const pass = breaker.tryPass();
        if (before === "closed") expect(pass).toBe("pass");
        if (before === "half-open") expect(pass).toBe("refuse");
        if (before === "open") expect(["probe", "refuse"]).toContain(pass);
      }),
      runs(300),
    );
  });

  it("closes within 5 s and one success of the node being back", () => {
    fc.assert(
      fc.property(play, ({ seed, moves }) => {
        const { clock, breaker, flying, make } = stageFor(seed);
        for (const what of moves) make(what);
        for (const pass of flying.splice(0)) breaker.succeeded(pass);
        clock.advance(5_000);
        const pass = breaker.tryPass();
        expect(pass).not.toBe("refuse");
        if (pass !== "refuse") breaker.succeeded(pass);
        expect(breaker.state).toBe("closed");
      }),
      runs(300),
    );
  });
});
