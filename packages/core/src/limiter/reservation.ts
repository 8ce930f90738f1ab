import type {
  AdmitCommand,
  Correction,
  ReleaseCommand,
  SettleCommand,
  SettleTarget,
  SlotsTarget,
} from "../engine/command";
import { costFor } from "../engine/cost";
import type { CheckReply } from "../engine/reply";
import type { ConcurrencyLimit, Limit } from "../limit/limit";
import type { Cost } from "./question";

/** What an admitted question charged, and the commands that give it back. */
export class Reservation {
  readonly #command: AdmitCommand;
  readonly #checks: readonly CheckReply[];

  constructor(command: AdmitCommand, checks: readonly CheckReply[]) {
    this.#command = command;
    this.#checks = checks;
  }

  get operationId(): string {
    return this.#command.operationId;
  }

  /** Whether any slot was taken. */
  get hasSlots(): boolean {
    return this.#command.targets.some(({ limits }) =>
      limits.some(({ kind }) => kind === "concurrency"),
    );
  }

  /** The slots that were taken: key, limit, place of the descriptor, and expiry in store time. */
  *slots(): Generator<TakenSlot> {
    for (const { limit, check, key, index } of this.#charges()) {
      if (limit.kind !== "concurrency" || check.chargedAt === undefined) continue;
      yield { key, limit, descriptorIndex: index, expiresAtMs: check.chargedAt };
    }
  }

  /**
   * The command that corrects each unit of `actual` (all units if it is "nothing") and frees the
   * slots; `undefined` if there is nothing to do.
   */
  settleCommand(actual: Cost | "nothing", serial: number): SettleCommand | undefined {
    const targets: SettleTarget[] = [];
    let corrections: Correction[] = [];
    let lastKey: string | undefined;
    for (const { limit, check, key } of this.#charges()) {
      const correction = this.#correction(limit, check, actual);
      if (correction === undefined) continue;
      if (key !== lastKey) {
        corrections = [];
        targets.push({ key, corrections });
        lastKey = key;
      }
      corrections.push(correction);
    }
    if (targets.length === 0) return undefined;
    return { type: "settle", operationId: this.operationId, serial, targets };
  }

  /** The command that frees the slots; `undefined` if there are none. */
  releaseCommand(): ReleaseCommand | undefined {
    const limitsByKey = new Map<string, ConcurrencyLimit[]>();
    for (const { key, limit } of this.slots()) {
      const limits = limitsByKey.get(key);
      if (limits === undefined) limitsByKey.set(key, [limit]);
      else limits.push(limit);
    }
    if (limitsByKey.size === 0) return undefined;
    const targets: SlotsTarget[] = [...limitsByKey].map(([key, limits]) => ({ key, limits }));
    return { type: "release", operationId: this.operationId, targets };
  }

  #correction(limit: Limit, check: CheckReply, actual: Cost | "nothing"): Correction | undefined {
    // A shadow limit that would have refused charged nothing and is owed nothing.
    if (!check.passes) return undefined;
    const charged = check.chargedAt === undefined ? 0 : costFor(limit, this.#command.cost);
    const { chargedAt, serial } = check;
    if (limit.kind === "concurrency") return { limit, charged, actual: 0, chargedAt, serial };
    const units = actual === "nothing" ? 0 : actual[limit.unit];
    if (units === undefined || units === charged) return undefined;
    return { limit, charged, actual: units, chargedAt, serial };
  }

  *#charges(): Generator<{ limit: Limit; check: CheckReply; key: string; index: number }> {
    let place = 0;
    for (const [index, { key, limits }] of this.#command.targets.entries()) {
      for (const limit of limits) {
        yield { limit, check: this.#checks[place] as CheckReply, key, index };
        place += 1;
      }
    }
  }
}

export interface TakenSlot {
  readonly key: string;
  readonly limit: ConcurrencyLimit;
  readonly descriptorIndex: number;
  readonly expiresAtMs: number;
}
