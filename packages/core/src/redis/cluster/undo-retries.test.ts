import { FakeClock } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import type { UndoCommand } from "../../engine/command";
import { StoreError, type StoreErrorCode } from "../../error/store-error";
import { UndoRetries } from "./undo-retries";

const undoOf = (operationId: string, tombstoneMs = 5_000): UndoCommand => ({
  type: "undo",
  operationId,
  serial: 1,
  targets: [],
  tombstoneMs,
});

/** Undos that are answered as `outcome` says: it gets how many tries came before. */
function setUndos(outcome: (tries: number) => StoreErrorCode | "undone") {
  const clock = new FakeClock();
  const sent: { readonly atMs: number; readonly id: string; readonly slot: number }[] = [];
  const tries = new Map<string, number>();
  const undos = new UndoRetries(clock, async ({ operationId }, slot) => {
    const before = tries.get(operationId) ?? 0;
    tries.set(operationId, before + 1);
    sent.push({ atMs: clock.nowMs(), id: operationId, slot });
    const code = outcome(before);
    if (code === "undone") return;
    throw new StoreError("As the test says", { code, operation: "undo", isRetryable: true });
  });
  return { clock, undos, sent };
}

describe("An undo", () => {
  it("is sent at once, and not again when it was answered", async () => {
    const { clock, undos, sent } = setUndos(() => "undone");
    undos.undo(undoOf("a"), 7);
    expect(sent).toEqual([{ atMs: 0, id: "a", slot: 7 }]);
    await clock.runUntilIdle();
    expect(sent.length).toBe(1);
  });

  it.each<StoreErrorCode>(["SLUICE_STORE_TIMEOUT", "SLUICE_STORE_REFUSED"])(
    "is sent again after %s, with pauses that double to a second",
    async (code) => {
      const { clock, undos, sent } = setUndos((tries) => (tries < 6 ? code : "undone"));
      undos.undo(undoOf("a"), 0);
      await clock.runUntilIdle();
      expect(sent.map(({ atMs }) => atMs)).toEqual([0, 100, 300, 700, 1_500, 2_500, 3_500]);
    },
  );

  it("is given up when what it would find is gone", async () => {
    const { clock, undos, sent } = setUndos(() => "SLUICE_STORE_TIMEOUT");
    undos.undo(undoOf("a", 1_000), 0);
    await clock.runUntilIdle();
    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 100, 300, 700]);
  });

  it("is given up when the store is closed", async () => {
    const { clock, undos, sent } = setUndos(() => "SLUICE_STORE_CLOSED");
    undos.undo(undoOf("a"), 0);
    await clock.advanceAsync(0);
    expect(clock.isIdle).toBe(true);
    expect(sent.length).toBe(1);
  });

  it("does not keep the process alive", async () => {
    const { clock, undos } = setUndos(() => "SLUICE_STORE_TIMEOUT");
    undos.undo(undoOf("a"), 0);
    await clock.advanceAsync(0);
    expect([clock.pendingTimers, clock.keepAliveTimers]).toEqual([1, 0]);
  });

  it("is dropped where 10 000 wait, until some of them have ended", async () => {
    const { clock, undos, sent } = setUndos((tries) =>
      tries === 0 ? "SLUICE_STORE_REFUSED" : "undone",
    );
    for (let index = 0; index < 10_001; index += 1) undos.undo(undoOf(`${index}`), 0);
    expect(sent.length).toBe(10_000);
    await clock.runUntilIdle();
    expect(sent.length).toBe(20_000);
    undos.undo(undoOf("again"), 0);
    expect(sent.at(-1)?.id).toBe("again");
  });
});
