import { describe, expect, it } from "vitest";
import { predictedWaitMs } from "./forecast";
import { type LiveClass, liveClasses } from "./live-class";

/** Classes with what is kept for each, in flight, and the one hold that is known of it. */
function classesOf(...all: { kept?: number; inFlight: number; holdMs?: number }[]) {
  const plain = { weight: 1, reserved: 0, rank: 0 };
  const names = all.map((_, index) => [`c${index}`, plain] as const);
  const classes = liveClasses({ classes: new Map(names), areWeighted: false });
  for (const [index, { kept = 0, inFlight, holdMs }] of all.entries()) {
    const one = Object.assign(classes[index] as LiveClass, { kept, inFlight });
    if (holdMs !== undefined) one.holdTime.add(holdMs);
  }
  return classes as readonly [LiveClass, ...LiveClass[]];
}

describe("the predicted wait", () => {
  it("is place x mean / cap without classes", () => {
    const classes = classesOf({ inFlight: 4, holdMs: 200 });
    expect(predictedWaitMs(3, 4, classes[0], classes)).toBe(150);
  });

  it("adds up the rates at which slots of all classes come free", () => {
    const classes = classesOf({ inFlight: 2, holdMs: 100 }, { inFlight: 8, holdMs: 1000 });
    // 2 / 100 + 8 / 1000 starts each millisecond.
    expect(predictedWaitMs(14, 10, classes[0], classes)).toBeCloseTo(500, 9);
  });

  it("leaves out slots that are kept for others", () => {
    const classes = classesOf(
      { kept: 2, inFlight: 2, holdMs: 100 },
      { inFlight: 8, holdMs: 60_000 },
    );
    const [interactive, batch] = classes;
    expect(predictedWaitMs(1, 10, batch as LiveClass, classes)).toBeCloseTo(7500, 9);
    expect(predictedWaitMs(1, 10, interactive, classes)).toBeLessThan(50);
  });

  it.each([
    { why: "nothing is known", classes: classesOf({ inFlight: 2 }, { inFlight: 1 }) },
    {
      why: "a class is not known yet",
      classes: classesOf({ inFlight: 2 }, { inFlight: 1, holdMs: 9 }),
    },
    {
      why: "holds are shorter than the clock tells",
      classes: classesOf({ inFlight: 2, holdMs: 0 }, { inFlight: 0 }),
    },
    { why: "nothing runs", classes: classesOf({ inFlight: 0, holdMs: 5 }, { inFlight: 0 }) },
  ])("is 0 when $why", ({ classes }) => {
    expect(predictedWaitMs(100, 2, classes[0], classes)).toBe(0);
  });
});
