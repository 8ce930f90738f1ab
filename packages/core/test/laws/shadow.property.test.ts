import {
  concurrency,
  type DescriptorLimit,
  fixedWindow,
  type LimitMode,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../runs";
import type { Action } from "../scenario/action";
import { Actor, type Answer } from "../scenario/actor";
import { play } from "../scenario/play";
import { scenario } from "../scenario/scenario-arbitrary";
import { setStage } from "../stage";

describe("A shadow limit", () => {
  it("never refuses, and says wouldReject exactly when it would have", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (drawn) => {
        const { stage } = await play(drawn, (action, answer) => {
          for (const [index, status] of (answer?.statuses ?? []).entries()) {
            if (modeOf(action, index) === "enforce")
              expect(status).not.toHaveProperty("wouldReject");
            else expect(status.admitted).toBe(true);
          }
          if (answer?.admitted !== false) return;
          expect(answer.rejection.violated.every((status) => !status.admitted)).toBe(true);
          expect(answer.rejection.violated).toEqual(
            answer.statuses.filter((status) => !status.admitted),
          );
        });
        await stage.limiter.close();
      }),
      runs(60),
    );
  });

  it("never influences another limit: without it the rest is answered the same", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (drawn) => {
        const name = drawn.limits[0] ?? "";
        const [first, second] = [setStage(drawn), setStage(drawn)];
        const [shadowed, bare] = [new Actor(first), new Actor(second)];
        const { actions, stage } = await play(drawn);
        for (const action of actions) {
          const rest = without(action, name);
          if (rest === undefined) {
            // The question is about nothing else, and its permit holds nothing else.
            await shadowed.act(inShadow(action, name));
            if (action.do !== "peek") await bare.act({ do: "skip" });
            continue;
          }
          const answer = await shadowed.act(inShadow(action, name));
          const expected = await bare.act(rest);
          expect(rowsOf(answer, name)).toEqual(rowsOf(expected, name));
          expect(answer?.admitted).toBe(expected?.admitted);
        }
        for (const { limiter } of [first, second, stage]) await limiter.close();
      }),
      runs(60),
    );
  });
});

/** Everything but the descriptor of the rows of all limits but one. */
function rowsOf(answer: Answer, name: string): unknown {
  const rows = (answer?.statuses ?? []).filter((status) => status.name !== name);
  return rows.map(({ descriptor, ...row }) => ({ ...row, id: descriptor.id }));
}

function modeOf(action: Action, index: number): string | undefined {
  if (!("question" in action)) return undefined;
  const limits = action.question.descriptors.flatMap((descriptor) => descriptor.limits);
  return limits[index]?.mode;
}

/** The action with one limit in shadow mode wherever it is named. */
function inShadow(action: Action, name: string): Action {
  return withLimits(action, (limits) =>
    limits.map((limit) => (limit.name === name ? madeInMode(limit, "shadow") : limit)),
  );
}

/** The action without one limit; undefined if nothing would be left to ask for. */
function without(action: Action, name: string): Action | undefined {
  const rest = withLimits(action, (limits) => limits.filter((limit) => limit.name !== name));
  return "question" in rest && rest.question.descriptors.length === 0 ? undefined : rest;
}

function withLimits(
  action: Action,
  change: (limits: readonly DescriptorLimit[]) => readonly DescriptorLimit[],
): Action {
  if (!("question" in action)) return action;
  const descriptors = action.question.descriptors
    .map((descriptor) => ({ ...descriptor, limits: change(descriptor.limits) }))
    .filter(({ limits }) => limits.length > 0);
  return { ...action, question: { ...action.question, descriptors } };
}

/** The same limit in another mode. Limits are made by constructors only, so it is made again. */
function madeInMode(limit: DescriptorLimit, mode: LimitMode): DescriptorLimit {
  switch (limit.kind) {
    case "fixed-window": {
      const { kind: _, ...options } = limit;
      return fixedWindow({ ...options, mode });
    }
    case "sliding-window": {
      const { kind: _, ...options } = limit;
      return slidingWindow({ ...options, mode });
    }
    case "sliding-log": {
      const { kind: _, ...options } = limit;
      return slidingLog({ ...options, mode });
    }
    case "token-bucket": {
      const { kind: _, max: capacity, ...options } = limit;
      return tokenBucket({ ...options, capacity, mode });
    }
    case "concurrency": {
      const { kind: _, unit: _slots, ...options } = limit;
      return concurrency({ ...options, mode });
    }
    case "priority-pool":
      throw new Error("scenarios ask no pools");
  }
}
