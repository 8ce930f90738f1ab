import { concurrency, fixedWindow, priorityPool, slidingLog, tokenBucket } from "@sluice/core";
import { FakeClock, seededRandom } from "@sluice/testing";
import fc from "fast-check";
import type { AdmitCommand, FullCost, LimitsTarget } from "../../../src/engine/command";
import { costFor } from "../../../src/engine/cost";
import type { AdmitReply } from "../../../src/engine/reply";
import type { CheckLimit } from "../../../src/limit/limit";
import { poolUnitsOf } from "../../../src/limit/pool-units";
import { CrossSlotAdmit } from "../../../src/redis/cluster/cross-slot-admit";
import { partsBySlot } from "../../../src/redis/cluster/parts-by-slot";
import { KeyTexts } from "../../../src/redis/key/key-texts";
import { EngineServer } from "./engine-server";
import { type Fate, type Fates, LossyNetwork } from "./lossy-network";

const TIMEOUT_MS = 100;
const HOUR_MS = 3_600_000;

/** How long what was charged can be undone. */
export const UNDOABLE_MS = 5_200;
export const LEASE_MS = 30_000;

const shared = priorityPool({
  ...{ name: "shared", capacity: { requests: 8, tokens: 9 }, windowMs: HOUR_MS },
  ...{ shares: { x: 0.75 }, saturationThreshold: 0.25 },
});

/** Nothing of them comes back while a play lasts, but by undoing and the end of leases. */
const limits: Readonly<Record<string, readonly CheckLimit[]>> = {
  tenant: [fixedWindow({ name: "window", max: 6, windowMs: HOUR_MS })],
  user: [
    slidingLog({ name: "log", max: 4, windowMs: HOUR_MS }),
    concurrency({ name: "slots", max: 3, leaseMs: LEASE_MS }),
  ],
  bucket: [tokenBucket({ name: "bucket", capacity: 8, refill: 1, perMs: HOUR_MS })],
  pool: poolUnitsOf(shared, 0),
};

/** Two of a kind live in two slots. */
const ids = ["a", "b"];

/** Every limit of every descriptor that a play may ask. */
export const everything: readonly LimitsTarget[] = Object.entries(limits).flatMap(([kind, own]) =>
  ids.map((id) => ({ kind, id, limits: own })),
);

export interface AskedQuestion {
  readonly afterMs: number;
  readonly cost: number;
  readonly targets: readonly LimitsTarget[];
}

export const anyQuestion: fc.Arbitrary<AskedQuestion> = fc.record({
  afterMs: fc.constantFrom(0, 0, 1, 2, 30, 150),
  cost: fc.integer({ min: 0, max: 3 }),
  targets: fc.shuffledSubarray([...everything], { minLength: 2, maxLength: 4 }),
});

/** Ways of the network; a request may arrive long after it was given up. */
const anyFate: fc.Arbitrary<Fate> = fc.record({
  thereMs: fc.constantFrom(1, 1, 2, 40, 99, 101, 700, 4_000, Infinity),
  backMs: fc.constantFrom(1, 1, 2, 40, 99, Infinity),
  isRefused: fc.constantFrom(false, false, false, false, true),
});

/** An undo is tried for 5 s: so often in a row none of them is lost. */
const anyUndoFate: fc.Arbitrary<Fate> = fc.record({
  thereMs: fc.constantFrom(1, 1, 20, 150, Infinity),
  backMs: fc.constantFrom(1, 20, Infinity),
  isRefused: fc.boolean(),
});

export const anyFates: fc.Arbitrary<Fates> = fc.record({
  admit: fc.array(anyFate, { maxLength: 12 }),
  undo: fc.array(anyUndoFate, { maxLength: 3 }),
  peek: fc.array(anyFate, { maxLength: 4 }),
});

export const noFaults: Fates = { admit: [], undo: [], peek: [] };

/** A question, and what its caller was told: nothing yet, a reply or an error. */
export interface AskedBefore {
  readonly question: AskedQuestion;
  told: AdmitReply | Error | undefined;
}

/** One process that asks questions across slots. */
export class CrossSlotStage {
  readonly clock = new FakeClock({ startMs: 1_000_000 });
  readonly server = new EngineServer();
  readonly network: LossyNetwork;
  readonly asked: AskedBefore[] = [];
  readonly #admit: CrossSlotAdmit;
  readonly #texts = new KeyTexts("p", undefined);

  constructor(fates: Fates, lifetime?: number) {
    this.network = new LossyNetwork(this.clock, this.server, fates, lifetime);
    this.#admit = new CrossSlotAdmit(seededRandom(1), this.network, UNDOABLE_MS);
  }

  ask(question: AskedQuestion): AskedBefore {
    const asked: AskedBefore = { question, told: undefined };
    const command = commandFor(question, this.asked.push(asked));
    const parts = partsBySlot(command.targets, this.#texts);
    const told = (answer: AdmitReply | Error) => {
      asked.told = answer;
    };
    void this.#admit.admit(command, parts, this.clock.nowMs() + TIMEOUT_MS).then(told, told);
    return asked;
  }

  async askAll(questions: readonly AskedQuestion[]): Promise<void> {
    for (const question of questions) {
      await this.clock.advanceAsync(question.afterMs);
      this.ask(question);
    }
    await this.clock.advanceAsync(TIMEOUT_MS);
  }

  /** What the callers who were admitted have together of each limit. */
  held(): readonly number[] {
    const admitted = this.asked.filter(({ told }) => isReply(told) && told.admitted);
    return everything.flatMap(({ kind, id, limits: own }) =>
      own.map((limit) =>
        admitted
          .filter(({ question }) =>
            question.targets.some((target) => target.kind === kind && target.id === id),
          )
          .reduce((sum, { question }) => sum + costFor(limit, costOf(question)), 0),
      ),
    );
  }
}

export function isReply(told: AdmitReply | Error | undefined): told is AdmitReply {
  return told !== undefined && !(told instanceof Error);
}

export const maxima = everything.flatMap(({ limits: own }) => own.map(({ max }) => max));

/** The question as a command; without an id it gets one. */
export function commandFor(question: AskedQuestion, serial: number): AdmitCommand {
  const { targets } = question;
  return { type: "admit", operationId: `op-${serial}`, serial, cost: costOf(question), targets };
}

function costOf({ cost }: AskedQuestion): FullCost {
  return { requests: cost, tokens: cost };
}
