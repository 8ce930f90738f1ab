import { describe, expect, it } from "vitest";
import { LevelMeter } from "./level-meter";

describe("LevelMeter", () => {
  it("weighs each level by the time that it lasted", () => {
    const meter = new LevelMeter();
    meter.observe(0, 10, 0, 0);
    meter.observe(250, 20, 4, 1);
    meter.observe(1_000, 20, 4, 1);
    meter.closeSecond();
    meter.observe(2_000, 50, 0, 0);
    meter.closeSecond();
    expect(meter.seconds).toEqual([
      { limit: 17.5, inFlight: 3, busy: 0.75 },
      { limit: 20, inFlight: 4, busy: 1 },
    ]);
  });
});
