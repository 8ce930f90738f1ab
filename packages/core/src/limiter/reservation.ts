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
import type { CheckLimit, ConcurrencyLimit, PoolUnitLimit } from "../limit/limit";
import type { Cost } from "./question";

/** What an admitted question charged: its command, and what the store said to each check. */
export interface Reservation {
  readonly command: AdmitCommand;
  readonly checks: readonly CheckReply[];
}

/** A slot that an admitted question took. */
export interface TakenSlot extends DescriptorKey {
  readonly limit: ConcurrencyLimit;
  /** Place of the descriptor in the question. */
  readonly place: number;
  /** In store time. */
  readonly expiresAtMs: number;
}

/** The slots that were taken. */
export function slotsOf(reservation: Reservation): TakenSlot[] {
  const taken: TakenSlot[] = [];
  eachCheck(reservation, ({ kind, id }, limit, { chargedAt }, place) => {
    if (limit.kind !== "concurrency" || chargedAt === undefined) return;
    taken.push({ kind, id, limit, place, expiresAtMs: chargedAt });
  });
  return taken;
}

/**
 * The command that corrects each unit of `actual` (all units if it is "nothing") and frees the
 * slots;
 * `undefined` if there is nothing to do.
 */
export function settleCommandFor(
  reservation: Reservation,
  actual: Cost | "nothing",
  serial: number,
): SettleCommand | undefined {
  const { operationId, cost, targets } = reservation.command;
  const corrections = targets.map((): Correction[] => []);
  eachCheck(reservation, (target, limit, check, place) => {
    const correction = correctionOf(limit, check, costFor(limit, cost), actual);
    if (correction === undefined) return;
    if (limit.kind === "pool-unit" && !isPoolCharged(reservation, target, limit)) return;
    corrections[place]?.push(correction);
  });
  const corrected: SettleTarget[] = [];
  for (const [place, { kind, id }] of targets.entries()) {
    const own = corrections[place] as Correction[];
    if (own.length > 0) corrected.push({ kind, id, corrections: own });
  }
  if (corrected.length === 0) return undefined;
  return { type: "settle", operationId, serial, targets: corrected };
}

/** The command that frees the slots; `undefined` if there are none. */
export function releaseCommandFor(reservation: Reservation): ReleaseCommand | undefined {
  const { operationId, targets } = reservation.command;
  if (operationId === "") return undefined;
  const slots = slotsOf(reservation);
  const freed: SlotsTarget[] = [];
  for (const [place, { kind, id }] of targets.entries()) {
    const own = slots.filter((slot) => slot.place === place);
    if (own.length > 0) freed.push({ kind, id, limits: own.map(({ limit }) => limit) });
  }
  return freed.length === 0 ? undefined : { type: "release", operationId, targets: freed };
}

/** Whether every unit of a pool passed: only then any of them was charged. */
function isPoolCharged(
  reservation: Reservation,
  of: LimitsTarget,
  { name }: PoolUnitLimit,
): boolean {
  let areAllPassing = true;
  eachCheck(reservation, (target, limit, { passes }) => {
    if (target === of && limit.name === name) areAllPassing &&= passes;
  });
  return areAllPassing;
}

function correctionOf(
  limit: CheckLimit,
  check: CheckReply,
  cost: number,
  actual: Cost | "nothing",
): Correction | undefined {
  // A shadow limit that would have refused charged nothing and is owed nothing.
  if (!check.passes) return undefined;
  const { chargedAt, serial } = check;
  const charged = chargedAt === undefined ? 0 : cost;
  if (limit.kind === "concurrency") return { limit, charged, actual: 0, chargedAt, serial };
  const units = actual === "nothing" ? 0 : named(actual, limit.unit);
  if (units === undefined || units === charged) return undefined;
  return { limit, charged, actual: units, chargedAt, serial };
}

/**
 * `undefined` for a unit that is not named; one that is called like a property of every object is
 * not.
 */
function named(actual: Cost, unit: string): number | undefined {
  return Object.hasOwn(actual, unit) ? actual[unit] : undefined;
}

function eachCheck(
  { command, checks }: Reservation,
  visit: (target: LimitsTarget, limit: CheckLimit, check: CheckReply, place: number) => void,
): void {
  let index = 0;
  for (const [place, target] of command.targets.entries()) {
    for (const limit of target.limits) {
      visit(target, limit, checks[index] as CheckReply, place);
      index += 1;
    }
  }
}
