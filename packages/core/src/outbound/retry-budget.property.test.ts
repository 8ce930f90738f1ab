import { type OutboundPermit, retryBudget } from "@sluice/core";
import fc from "fast-check";
import { describe, it } from "vitest";
import { runs } from "../../test/runs";

const step = fc.oneof(
  fc.constant("start" as const),
  fc.constant("retry" as const),
  fc.nat({ max: 50 }),
);

describe("a retry budget", () => {
  it("never grants beyond its share or its floor, and counts back to 0", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat({ max: 4 }),
        fc.array(step, { maxLength: 200 }),
        (share, min, steps) => {
          const budget = retryBudget({ share, min });
          const open: OutboundPermit[] = [];
          for (const each of steps) {
            if (each === "start") open.push(budget.start());
            else if (typeof each === "number") open.splice(each % (open.length + 1), 1)[0]?.end();
            else {
              const verdict = budget.tryRetry();
              if (!verdict.admitted) continue;
              open.push(verdict.permit);
              const { retriesInFlight, inFlight } = budget.stats();
              const bound = Math.max(min, share * inFlight + 1e-6);
              if (retriesInFlight > bound) throw new Error(`${retriesInFlight} > ${bound}`);
            }
          }
          for (const permit of open) permit.end();
          const { inFlight, retriesInFlight } = budget.stats();
          if (inFlight !== 0 || retriesInFlight !== 0) throw new Error("something leaked");
        },
      ),
      runs(300),
    );
  });
});
