import type { ConcurrencyLimit } from "@sluice/core";
import { anyId, anyKind, anyLimits } from "@sluice/testing";
import fc from "fast-check";
import { idText } from "../../../src/descriptor/key";
import type {
  AdmitCommand,
  LimitsTarget,
  ReleaseCommand,
  RenewCommand,
  SettleCommand,
  UndoCommand,
} from "../../../src/engine/command";
import type { CheckLimit } from "../../../src/limit/limit";

const anyNumber = fc.oneof(fc.nat({ max: 5 }), fc.maxSafeInteger().map(Math.abs));

const anyOperationId = fc.string({
  unit: fc.constantFrom("a", "Z", "0", "_", "-"),
  minLength: 1,
  maxLength: 64,
});

const anyTargets: fc.Arbitrary<readonly LimitsTarget[]> = fc.uniqueArray(
  fc.record({ kind: anyKind(), id: anyId().map(idText), limits: anyLimits() }),
  { minLength: 1, maxLength: 3, selector: ({ kind, id }) => `${kind} ${id}` },
);

export const anyAdmit: fc.Arbitrary<AdmitCommand> = fc
  .record({
    operationId: anyOperationId,
    isNamed: fc.boolean(),
    undoableForMs: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined }),
    serial: anyNumber,
    amount: anyNumber,
    targets: anyTargets,
  })
  .map(({ operationId, isNamed, undoableForMs, serial, amount, targets }) => {
    const isUndoable = undoableForMs !== undefined;
    const needsId = isNamed || isUndoable || targets.some(({ limits }) => limits.some(isSlots));
    const units = targets.flatMap(({ limits }) => limits.map(({ unit }) => unit));
    const cost = Object.fromEntries(units.map((unit, place) => [unit, (amount + place) % 2 ** 53]));
    const id = needsId ? operationId : "";
    const admit = { type: "admit", operationId: id, serial, cost, targets } as const;
    return isUndoable ? { ...admit, undoableForMs } : admit;
  });

export const anySettle: fc.Arbitrary<SettleCommand> = fc
  .record({
    operationId: anyOperationId,
    serial: anyNumber,
    targets: anyTargets,
    numbers: fc.array(anyNumber, { minLength: 4, maxLength: 4 }),
    isCharged: fc.boolean(),
    onceForMs: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined }),
  })
  .map(({ operationId, serial, targets, numbers, isCharged, onceForMs }) => {
    const [charged = 0, actual = 0, at = 0, own = 0] = numbers;
    const chargedAt = isCharged ? at : undefined;
    const settle: SettleCommand = {
      type: "settle",
      operationId,
      serial,
      targets: targets.map(({ kind, id, limits }) => ({
        kind,
        id,
        corrections: limits.map((limit) => ({ limit, charged, actual, chargedAt, serial: own })),
      })),
    };
    return onceForMs === undefined ? settle : { ...settle, onceForMs };
  });

export const anyUndo: fc.Arbitrary<UndoCommand> = fc.record({
  type: fc.constant("undo" as const),
  operationId: anyOperationId,
  serial: anyNumber,
  targets: anyTargets,
  tombstoneMs: fc.integer({ min: 1, max: 100_000 }),
});

export const anyRelease: fc.Arbitrary<ReleaseCommand> = fc
  .record({ operationId: anyOperationId, targets: anyTargets })
  .map(({ operationId, targets }) => ({
    type: "release",
    operationId,
    targets: targets.map(({ kind, id, limits }) => ({ kind, id, limits: limits.filter(isSlots) })),
  }));

export const anyRenew: fc.Arbitrary<RenewCommand> = fc
  .record({ operationId: anyOperationId, serial: anyNumber, targets: anyTargets, at: anyNumber })
  .map(({ operationId, serial, targets, at }) => ({
    type: "renew",
    serial,
    targets: targets.map(({ kind, id, limits }) => ({
      kind,
      id,
      leases: limits.filter(isSlots).map((limit) => ({ limit, operationId, expiresAtMs: at })),
    })),
  }));

export function isSlots(limit: CheckLimit): limit is ConcurrencyLimit {
  return limit.kind === "concurrency";
}
