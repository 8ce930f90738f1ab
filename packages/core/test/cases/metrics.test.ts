import { concurrency, fixedWindow, type SluiceEvent } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { eventsOf, setStage } from "../stage";
import { setFaultyStage } from "../store/faulty-stage";
import { expectAdmitted } from "../verdicts";
import { questionOf, statusesOf } from "./attempts";

const MINUTE_MS = 60_000;

type VerdictEvent = Extract<SluiceEvent, { type: "verdict" }>;

const verdictsOf = (events: readonly SluiceEvent[]): VerdictEvent[] =>
  eventsOf({ events: [...events] }, "verdict");

const wouldReject = ({ statuses }: VerdictEvent) =>
  statuses.some((status) => status.wouldReject === true);

describe("R086: counts", () => {
  it("of 5 hits on a shadow limit of 1 are 5 admitted, 4 of them would-be refusals", async () => {
    const on = setStage();
    const limits = [fixedWindow({ max: 1, windowMs: MINUTE_MS, mode: "shadow" })];
    for (let hit = 0; hit < 5; hit += 1) {
      expectAdmitted(await on.limiter.admit(questionOf(limits)));
    }
    const verdicts = verdictsOf(on.events);
    expect(verdicts).toHaveLength(5);
    expect(verdicts.filter(({ admitted }) => admitted)).toHaveLength(5);
    expect(verdicts.filter(wouldReject)).toHaveLength(4);
    expect(verdicts.filter(({ admitted }) => !admitted)).toHaveLength(0);
    expect(verdicts.every(({ source }) => source === "store")).toBe(true);
  });

  it("of the same hits on an enforced limit are 1 admitted and 4 refused", async () => {
    const on = setStage();
    const limits = [fixedWindow({ max: 1, windowMs: MINUTE_MS })];
    for (let hit = 0; hit < 5; hit += 1) await on.limiter.admit(questionOf(limits));
    const verdicts = verdictsOf(on.events);
    expect(verdicts.map(({ admitted }) => admitted)).toEqual([true, false, false, false, false]);
    expect(verdicts.filter(wouldReject)).toHaveLength(0);
    expect(verdicts.slice(1).every(({ reason }) => reason === "window_exhausted")).toBe(true);
  });

  it.each(["reject", "admit"] as const)(
    "of admitted, refused and failed add up to the questions (policy %s)",
    async (onStoreUnavailable) => {
      const { faulty, limiter, events } = setFaultyStage({ onStoreUnavailable });
      const limits = [fixedWindow({ max: 2, windowMs: MINUTE_MS })];
      faulty.failNext("admit");
      for (let hit = 0; hit < 5; hit += 1) await limiter.admit(questionOf(limits));
      const verdicts = verdictsOf(events);
      expect(verdicts).toHaveLength(5);
      expect(verdicts.map(({ source }) => source)).toEqual([
        "policy",
        "store",
        "store",
        "store",
        "store",
      ]);
      expect(verdicts.filter(({ admitted }) => admitted)).toHaveLength(
        onStoreUnavailable === "admit" ? 3 : 2,
      );
      expect(events.filter(({ type }) => type === "store_failed")).toHaveLength(1);
      await limiter.close();
    },
  );

  it("of one question that several limits refuse are one", async () => {
    const on = setStage();
    const limits = [
      fixedWindow({ name: "a", max: 1, windowMs: MINUTE_MS }),
      fixedWindow({ name: "b", max: 1, windowMs: MINUTE_MS }),
    ];
    for (let hit = 0; hit < 2; hit += 1) await on.limiter.admit(questionOf(limits));
    expect(verdictsOf(on.events).map(({ admitted }) => admitted)).toEqual([true, false]);
  });

  it("do not include what was only peeked at", async () => {
    const on = setStage();
    const limits = [fixedWindow({ max: 1, windowMs: MINUTE_MS })];
    await statusesOf(on, limits);
    await on.limiter.admit(questionOf(limits));
    await statusesOf(on, limits);
    expect(verdictsOf(on.events)).toHaveLength(1);
  });
});

describe("R086: a number that is read", () => {
  it("is the live one, also after the limit changed", async () => {
    const on = setStage();
    const slots = (max: number) => [concurrency({ name: "slots", max })];
    for (let taken = 0; taken < 15; taken += 1) {
      expectAdmitted(await on.limiter.admit(questionOf(slots(20))));
    }
    expect(await statusesOf(on, slots(20))).toMatchObject([{ max: 20, used: 15, remaining: 5 }]);
    expect(await statusesOf(on, slots(41))).toMatchObject([{ max: 41, used: 15, remaining: 26 }]);
    expect(on.limiter.heldLeases).toBe(15);
    await on.limiter.close();
  });
});
