import fc from "fast-check";
import type {
  AdmitCommand,
  Correction,
  LimitsTarget,
  PeekCommand,
  ReleaseCommand,
  RenewCommand,
  ResetCommand,
  SettleCommand,
  UndoCommand,
} from "../../../src/engine/command";
import type { CheckReply } from "../../../src/engine/reply";
import type { CheckLimit, ConcurrencyLimit } from "../../../src/limit/limit";

/** The largest number of an operation: few, so that ids come again. */
export const OPERATIONS_MAX = 30;

/** One step of a play, in numbers that any history gives a meaning to. */
export interface Step {
  readonly type: Played["type"];
  /** How far the clock moves before it; negative: it steps back. */
  readonly passMs: number;
  readonly questions: readonly AskedQuestion[];
  /** Which of the admits so far it is about, counted from the latest. */
  readonly back: number;
  readonly amount: number;
  readonly flag: boolean;
  /** How many more ask what the first question asks, of the same descriptors or of others. */
  readonly crowd?: number;
}

export interface AskedQuestion {
  readonly targets: readonly { readonly id: string; readonly limits: readonly CheckLimit[] }[];
  readonly requests: number;
  readonly tokens: number;
  /** A small number, so that some ids come twice. */
  readonly operation: number;
  readonly undoableForMs: number;
}

export interface PlayedAdmit {
  readonly command: AdmitCommand;
  readonly checks: readonly CheckReply[];
}

/** The commands of one step: several of a kind share a call. */
export type Played =
  | { readonly type: "admit"; readonly commands: readonly AdmitCommand[] }
  | { readonly type: "peek"; readonly commands: readonly PeekCommand[] }
  | { readonly type: "settle"; readonly commands: readonly SettleCommand[] }
  | { readonly type: "release"; readonly commands: readonly ReleaseCommand[] }
  | { readonly type: "renew"; readonly commands: readonly RenewCommand[] }
  | { readonly type: "undo"; readonly commands: readonly UndoCommand[] }
  | { readonly type: "reset"; readonly commands: readonly ResetCommand[] };

/** Limits of one name that are asked together: one, or the units of a pool. */
export type Asked = CheckLimit | readonly CheckLimit[];

/** Steps whose questions ask of `limits`; those of one name never together. */
export function anyStep(all: readonly Asked[]): fc.Arbitrary<Step> {
  const limits = fc
    .uniqueArray(fc.constantFrom(...all), {
      minLength: 1,
      maxLength: 4,
      selector: (asked) => [asked].flat()[0]?.name,
    })
    .map((asked) => asked.flat());
  const target = fc.record({ id: fc.constantFrom("a", "b", "c"), limits });
  const question = fc.record({
    targets: fc.uniqueArray(target, { minLength: 1, maxLength: 2, selector: ({ id }) => id }),
    requests: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom(7, 2 ** 40)),
    tokens: fc.integer({ min: 0, max: 60 }),
    operation: fc.nat({ max: OPERATIONS_MAX }),
    undoableForMs: fc.constantFrom(0, 0, 1, 300, 3_000),
  });
  return fc.record({
    type: fc.constantFrom<Step["type"]>(
      ...(["admit", "admit", "admit", "peek", "settle", "settle"] as const),
      ...(["release", "renew", "undo", "reset"] as const),
    ),
    passMs: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(0, 1, 10, 49, 50, 99, 100, 101, 250) },
      { weight: 2, arbitrary: fc.nat({ max: 2_500 }) },
      { weight: 1, arbitrary: fc.constantFrom(-1, -40, -100, -700, -5_000, 10_000) },
    ),
    questions: fc.array(question, { minLength: 1, maxLength: 3 }),
    back: fc.nat({ max: 6 }),
    amount: fc.oneof(fc.nat({ max: 80 }), fc.constant(2 ** 53 - 1)),
    flag: fc.boolean(),
    crowd: fc.oneof(fc.constant(0), fc.nat({ max: 7 })),
  });
}

/** What a step means after the admits so far. */
export function commandFor(step: Step, admits: readonly PlayedAdmit[], nowMs: number): Played {
  const { type, questions, amount, flag } = step;
  const about = admits.at(-1 - step.back);
  switch (type) {
    case "admit":
      return {
        type,
        commands: [
          ...crowdOf(step, nowMs),
          ...questions.map((asked, place) => admitFor(asked, nowMs + place)),
        ],
      };
    case "peek":
      return {
        type,
        commands: [
          ...questions.map((asked) => peekFor(asked)),
          ...crowdOf(step, nowMs).map(({ cost, targets }) => ({ type, cost, targets })),
        ],
      };
    case "settle":
      return { type, commands: about === undefined ? [] : [settleFor(about, amount, flag)] };
    case "release":
      return { type, commands: about === undefined ? [] : [releaseFor(about)] };
    case "renew":
      return { type, commands: about === undefined ? [] : [renewFor(about, flag ? amount : 0)] };
    case "undo":
      return { type, commands: about === undefined ? [] : [undoFor(about, 1 + amount)] };
    case "reset":
      return { type, commands: [{ type, targets: targetsOf(questions[0] as AskedQuestion) }] };
  }
}

function targetsOf({ targets }: AskedQuestion): readonly LimitsTarget[] {
  return targets.map(({ id, limits }) => ({ kind: "k", id, limits }));
}

function admitFor(asked: AskedQuestion, seed: number): AdmitCommand {
  const { requests, tokens, operation, undoableForMs } = asked;
  const command = {
    type: "admit",
    operationId: `op-${operation}`,
    serial: (seed * 31 + operation) % 1_000,
    cost: { requests, tokens },
    targets: targetsOf(asked),
  } as const;
  return undoableForMs === 0 ? command : { ...command, undoableForMs };
}

function peekFor(asked: AskedQuestion): PeekCommand {
  const { requests, tokens } = asked;
  return { type: "peek", cost: { requests, tokens }, targets: targetsOf(asked) };
}

const IDS = ["a", "b", "c"];

/**
 * What travels as one: questions that differ in nothing but their serials and whom they are about.
 */
function crowdOf({ questions, crowd = 0, flag }: Step, nowMs: number): readonly AdmitCommand[] {
  const { requests, tokens, targets } = questions[0] as AskedQuestion;
  const shared = targets.flatMap(({ id, limits }) => {
    const counters = limits.filter(({ kind }) => kind !== "concurrency");
    return counters.length === 0 ? [] : [{ id, limits: counters }];
  });
  return Array.from({ length: shared.length === 0 ? 0 : crowd }, (_, place) => ({
    type: "admit",
    operationId: "",
    serial: (nowMs % 1_000) + place,
    // Little, so that several fit.
    cost: { requests: requests % 2, tokens: tokens % 5 },
    targets: shared.map(({ id, limits }) => {
      const other = IDS[(IDS.indexOf(id) + place) % IDS.length] as string;
      return { kind: "k", id: flag ? id : other, limits };
    }),
  }));
}

/** An operation of its own for what was admitted without one. */
function nameOf({ operationId }: AdmitCommand): string {
  return operationId === "" ? `op-${OPERATIONS_MAX}` : operationId;
}

/** Corrects every charge of an admit, some up, some down, some again. */
function settleFor(about: PlayedAdmit, amount: number, isOnce: boolean): SettleCommand {
  const { command, checks } = about;
  let place = 0;
  const targets = command.targets.map(({ kind, id, limits }) => ({
    kind,
    id,
    corrections: limits.map((limit): Correction => {
      const { chargedAt, serial } = checks[place] as CheckReply;
      place += 1;
      const unit = limit.kind === "concurrency" ? 1 : (command.cost[limit.unit] as number);
      const charged = chargedAt === undefined ? 0 : unit;
      const actual = limit.kind === "concurrency" ? 0 : amount;
      return { limit, charged, actual, chargedAt, serial };
    }),
  }));
  const { serial } = command;
  const settled = {
    type: "settle",
    operationId: nameOf(command),
    serial: serial + 1,
    targets,
  } as const;
  return isOnce ? { ...settled, onceForMs: 200 } : settled;
}

function slotsOf(limits: readonly CheckLimit[]): readonly ConcurrencyLimit[] {
  return limits.filter((limit): limit is ConcurrencyLimit => limit.kind === "concurrency");
}

function releaseFor({ command }: PlayedAdmit): ReleaseCommand {
  const { operationId, targets } = command;
  return {
    type: "release",
    operationId,
    targets: targets.map(({ kind, id, limits }) => ({ kind, id, limits: slotsOf(limits) })),
  };
}

function renewFor({ command, checks }: PlayedAdmit, laterMs: number): RenewCommand {
  const { operationId, targets, serial } = command;
  let place = 0;
  return {
    type: "renew",
    serial,
    targets: targets.map(({ kind, id, limits }) => {
      const expiries = limits.map(() => {
        const { chargedAt } = checks[place] as CheckReply;
        place += 1;
        return (chargedAt ?? 0) + Math.min(laterMs, 1_000);
      });
      const leases = limits.flatMap((limit, index) =>
        limit.kind === "concurrency"
          ? [{ limit, operationId, expiresAtMs: expiries[index] as number }]
          : [],
      );
      return { kind, id, leases };
    }),
  };
}

function undoFor({ command }: PlayedAdmit, tombstoneMs: number): UndoCommand {
  const { targets, serial } = command;
  return {
    type: "undo",
    operationId: nameOf(command),
    serial,
    targets,
    tombstoneMs: Math.min(tombstoneMs, 1_000_000),
  };
}
