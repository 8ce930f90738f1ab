import { type AdmitCommand, concurrency, fixedWindow, type UndoCommand } from "@sluice/core";
import { LONG_MS } from "./every-counter";
import type { StoreCase } from "./store-case";
import type { StoreTrial } from "./store-trial";

const RECORD_MS = 60_000;

/** A question of three units and a slot that can be undone by its id. */
class Undoable {
  readonly admit: AdmitCommand;
  readonly undo: UndoCommand;

  constructor(at: StoreTrial) {
    const operationId = at.freshId();
    const limits = [fixedWindow({ max: 10, windowMs: LONG_MS }), concurrency({ max: 5 })];
    const targets = [{ kind: "conformance", id: at.freshId(), limits }];
    this.admit = {
      type: "admit",
      operationId,
      serial: 11,
      cost: { requests: 3, tokens: 0 },
      targets,
      undoableForMs: RECORD_MS,
    };
    this.undo = { type: "undo", operationId, serial: 12, targets, tombstoneMs: RECORD_MS };
  }

  async used(at: StoreTrial): Promise<readonly number[]> {
    const { targets, cost } = this.admit;
    const { checks } = await at.store.peek({ type: "peek", cost, targets });
    return checks.map(({ used }) => used);
  }
}

/** Of operations that are taken back by their id. */
export const undoCases: readonly StoreCase[] = [
  {
    name: "undo: takes back what an operation charged, once",
    run: async (at) => {
      const operation = new Undoable(at);
      const other = { ...operation.admit, operationId: at.freshId() };
      await at.store.admit(operation.admit);
      await at.store.admit(other);
      at.expect(await operation.used(at)).toEqual([6, 2]);
      at.expect(await at.store.undo(operation.undo)).toEqual({ undone: [true] });
      at.expect(await at.store.undo(operation.undo)).toEqual({ undone: [false] });
      at.expect(await operation.used(at)).toEqual([3, 1]);
    },
  },
  {
    name: "undo: refuses an operation that arrives after it",
    run: async (at) => {
      const operation = new Undoable(at);
      at.expect(await at.store.undo(operation.undo)).toEqual({ undone: [false] });
      const { admitted, undone } = await at.store.admit(operation.admit);
      at.expect([admitted, undone]).toEqual([false, true]);
      at.expect(await operation.used(at)).toEqual([0, 0]);
    },
  },
  {
    name: "undo: an operation that arrives again is told again, without a second charge",
    run: async (at) => {
      const operation = new Undoable(at);
      const first = await at.store.admit(operation.admit);
      const second = await at.store.admit(operation.admit);
      at.expect([first.admitted, second.admitted]).toEqual([true, true]);
      const charged = (reply: typeof first) =>
        reply.checks.map(({ chargedAt, serial }) => [chargedAt, serial]);
      at.expect(charged(second)).toEqual(charged(first));
      at.expect(await operation.used(at)).toEqual([3, 1]);
    },
  },
  {
    name: "undo: is remembered through a reset",
    run: async (at) => {
      const operation = new Undoable(at);
      await at.store.undo(operation.undo);
      const { targets } = operation.admit;
      await at.store.reset({ type: "reset", targets });
      at.expect((await at.store.admit(operation.admit)).undone).toBe(true);
    },
  },
];
