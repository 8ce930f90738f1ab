import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../runs";
import { play } from "../scenario/play";
import { scenario } from "../scenario/scenario-arbitrary";
import { standingsOf } from "../scenario/standing";

/** Longer than any window, refill or lease of a scenario, with room for sweeping. */
const LONG_UNITS = 2_000;
const SWEEP_MS = 3_600_000;

describe("Law 7, every stored key expires:", () => {
  it("when nothing is held and enough time has passed the store is empty", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (drawn) => {
        const { stage, actor } = await play(drawn);
        await actor.closeAll();
        await stage.clock.advanceAsync(LONG_UNITS * drawn.unitMs + SWEEP_MS);
        expect(stage.store.size).toBe(0);
        for (const { used, resetAfterMs } of (await standingsOf(drawn, stage)).values()) {
          expect([used, resetAfterMs]).toEqual([0, 0]);
        }
        await stage.limiter.close();
      }),
      runs(60),
    );
  });

  it("also when every process crashed in the middle of its work", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (drawn) => {
        const { stage } = await play(drawn);
        await stage.limiter.close();
        await stage.clock.advanceAsync(LONG_UNITS * drawn.unitMs + SWEEP_MS);
        expect(stage.store.size).toBe(0);
      }),
      runs(60),
    );
  });

  it("and until then a key is kept as long as one of its limits needs it", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (drawn) => {
        const { stage } = await play(drawn, async (_action, _answer, on) => {
          const standings = await standingsOf(drawn, on);
          const inUse = new Set<string>();
          for (const [name, { used }] of standings) {
            if (used > 0) inUse.add(name.split(" ")[0] ?? "");
          }
          expect(on.store.size).toBeGreaterThanOrEqual(inUse.size);
        });
        await stage.limiter.close();
      }),
      runs(40),
    );
  });
});
