import type {
  AdmitCommand,
  Correction,
  DescriptorKey,
  LimitsTarget,
  ReleaseCommand,
  SettleCommand,
  SettleTarget,
  SlotsTarget,
} from "../engine/command";
import { costFor } from "../engine/cost";
import type { CheckReply } from "../engine/reply";
import type { ConcurrencyLimit, Limit } from "../limit/limit";
import type { Cost } from "./question";

/** A slot that an admitted question took. */
export interface TakenSlot extends DescriptorKey {
  readonly limit: ConcurrencyLimit;
  /** Place of the descriptor in the question. */
  readonly place: number;
  /** In store time. */
  readonly expiresAtMs: number;
}

/** What an admitted question charged, and the commands that give it back. */
export class Reservation {
  readonly #command: AdmitCommand;
  readonly #checks: readonly CheckReply[];

  constructor(command: AdmitCommand, checks: readonly CheckReply[]) {
    this.#command = command;
    this.#checks = checks;
  }

  /** The slots that were taken. */
  slots(): TakenSlot[] {
    const taken: TakenSlot[] = [];
    this.#eachCheck(({ kind, id }, limit, { chargedAt }, place) => {
      if (limit.kind !== "concurrency" || chargedAt === undefined) return;
      taken.push({ kind, id, limit, place, expiresAtMs: chargedAt });
    });
    return taken;
  }

  /**
   * The command that corrects each unit of `actual` (all units if it is "nothing") and frees the
   * slots; `undefined` if there is nothing to do.
   */
  settleCommand(actual: Cost | "nothing", serial: number): SettleCommand | undefined {
    const corrections = this.#command.targets.map((): Correction[] => []);
    this.#eachCheck((_target, limit, check, place) => {
      const correction = this.#correction(limit, check, actual);
      if (correction !== undefined) corrections[place]?.push(correction);
    });
    const targets: SettleTarget[] = [];
    for (const [place, { kind, id }] of this.#command.targets.entries()) {
      const own = corrections[place] as Correction[];
      if (own.length > 0) targets.push({ kind, id, corrections: own });
    }
    if (targets.length === 0) return undefined;
    return { type: "settle", operationId: this.#command.operationId, serial, targets };
  }

  /** The command that frees the slots; `undefined` if there are none. */
  releaseCommand(): ReleaseCommand | undefined {
    const slots = this.slots();
    const targets: SlotsTarget[] = [];
    for (const [place, { kind, id }] of this.#command.targets.entries()) {
      const own = slots.filter((slot) => slot.place === place);
      if (own.length > 0) targets.push({ kind, id, limits: own.map(({ limit }) => limit) });
    }
    if (targets.length === 0) return undefined;
    return { type: "release", operationId: this.#command.operationId, targets };
  }

  #correction(limit: Limit, check: CheckReply, actual: Cost | "nothing"): Correction | undefined {
    // A shadow limit that would have refused charged nothing and is owed nothing.
    if (!check.passes) return undefined;
    const { chargedAt, serial } = check;
    const charged = chargedAt === undefined ? 0 : costFor(limit, this.#command.cost);
    if (limit.kind === "concurrency") return { limit, charged, actual: 0, chargedAt, serial };
    const units = actual === "nothing" ? 0 : actual[limit.unit];
    if (units === undefined || units === charged) return undefined;
    return { limit, charged, actual: units, chargedAt, serial };
  }

  #eachCheck(
    visit: (target: LimitsTarget, limit: Limit, check: CheckReply, place: number) => void,
  ): void {
    let index = 0;
    for (const [place, target] of this.#command.targets.entries()) {
      for (const limit of target.limits) {
        visit(target, limit, this.#checks[index] as CheckReply, place);
        index += 1;
      }
    }
  }
}
