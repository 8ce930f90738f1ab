import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Caller,
  DispatcherStage,
  TIMEOUT_MS,
} from "../../../test/redis/dispatch/dispatcher-stage";
import { carriedBy, replyTo } from "../../../test/redis/dispatch/numbered-operation";
import {
  connectionLost,
  notSent,
  type OpenCall,
  refused,
  refusedForNow,
} from "../../../test/redis/dispatch/scripted-executor";
import { runs } from "../../../test/runs";
import { StoreError } from "../../error/store-error";

const MAX_IN_FLIGHT = 12;

const failures = { notSent, connectionLost, refused, refusedForNow };

/** What a play does next. `back` chooses a call that has not ended, from the latest. */
type Move =
  | { readonly type: "ask"; readonly name: string; readonly slot: number; readonly leftMs: number }
  | { readonly type: "pass"; readonly ms: number }
  | { readonly type: "reply"; readonly back: number; readonly lates: number }
  | { readonly type: "nonsense"; readonly back: number; readonly reply: unknown }
  | { readonly type: "fail"; readonly back: number; readonly failure: keyof typeof failures }
  | { readonly type: "close" };

const back = fc.nat({ max: 5 });

const anyMove: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 32,
    arbitrary: fc.record({
      type: fc.constant("ask" as const),
      name: fc.constantFrom("admit", "admit", "peek", "settle", "renew"),
      slot: fc.nat({ max: 2 }),
      leftMs: fc.constantFrom(TIMEOUT_MS, TIMEOUT_MS, TIMEOUT_MS, 7, 60),
    }),
  },
  {
    weight: 16,
    arbitrary: fc.record({ type: fc.constant("pass" as const), ms: fc.nat({ max: 60 }) }),
  },
  {
    weight: 24,
    // A bit per command: whether it is told LATE.
    arbitrary: fc.record({ type: fc.constant("reply" as const), back, lates: fc.nat({ max: 7 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("nonsense" as const),
      back,
      reply: fc.constantFrom<unknown>("OK", null, [], [5], { a: 1 }, [5, "x"]),
    }),
  },
  {
    weight: 16,
    arbitrary: fc.record({
      type: fc.constant("fail" as const),
      back,
      failure: fc.constantFrom(...(Object.keys(failures) as (keyof typeof failures)[])),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("close" as const) }) },
);

const anyPlay = fc.record({
  isCluster: fc.boolean(),
  moves: fc.array(anyMove, { minLength: 1, maxLength: 60 }),
});

/** How a call ended for one of its commands. */
type End = "done" | "late" | "not executed" | "unknown";

class Play {
  readonly stage = new DispatcherStage({ maxInFlight: MAX_IN_FLIGHT });
  /** By the number of a command, how its calls ended, in order; nothing where one has not. */
  readonly ends = new Map<number, (End | undefined)[]>();
  readonly #ended = new Set<OpenCall>();
  isClosed = false;

  constructor(isCluster: boolean) {
    this.stage.executor.isCluster = isCluster;
    if (isCluster) this.stage.executor.nodeOf = (slot) => `node ${slot % 2}`;
  }

  async make(move: Move): Promise<void> {
    const { stage } = this;
    if (move.type === "ask") {
      const { name, slot, leftMs } = move;
      stage.ask(name, { slot, expiresAtMs: stage.clock.nowMs() + leftMs });
    } else if (move.type === "pass") {
      await stage.pass(move.ms);
    } else if (move.type === "close") {
      this.isClosed = true;
      stage.dispatcher.close();
    } else {
      this.#endCall(move);
      await stage.turn();
    }
  }

  /** The calls that have not ended. Probes carry nothing and count too. */
  get open(): readonly OpenCall[] {
    return this.stage.sent.filter((call) => !this.#ended.has(call));
  }

  #endCall(move: Exclude<Move, { readonly type: "ask" | "pass" | "close" }>): void {
    const call = this.open.at(-1 - move.back);
    if (call === undefined) return;
    this.#ended.add(call);
    if (move.type === "nonsense") {
      this.#note(call, () => "unknown");
      call.reply(move.reply);
    } else if (move.type === "fail") {
      const failure = failures[move.failure];
      this.#note(call, () => (failure.isRetryable ? "not executed" : "unknown"));
      call.fail(failure);
    } else {
      const { numbers, deadlinesMs } = carriedBy(call);
      const isLate = (number: number) => {
        const place = numbers.indexOf(number);
        // Who has no deadline is never late.
        return deadlinesMs[place] !== 0 && (move.lates & (1 << (place % 3))) !== 0;
      };
      this.#note(call, (number) => (isLate(number) ? "late" : "done"));
      call.reply(replyTo(call, this.stage.clock.nowMs(), isLate));
    }
  }

  #note(call: OpenCall, endOf: (number: number) => End): void {
    for (const number of carriedBy(call).numbers) {
      this.ends.set(number, [...(this.ends.get(number) ?? []), endOf(number)]);
    }
  }

  /** Ends all that is under way, so that nothing is left but what leaks. */
  async end(): Promise<void> {
    await this.stage.pass(2 * TIMEOUT_MS);
    while (this.open.length > 0) {
      this.#endCall({ type: "reply", back: 0, lates: 0 });
      await this.stage.turn();
    }
    await this.stage.pass(2 * TIMEOUT_MS);
  }
}

async function played({ isCluster, moves }: { isCluster: boolean; moves: readonly Move[] }) {
  const play = new Play(isCluster);
  for (const move of moves) await play.make(move);
  await play.end();
  return play;
}

const isError = ({ answer }: Caller) => answer instanceof StoreError;

describe("Whatever the server does, a caller", () => {
  it("is answered by its deadline, and by nothing but its own reply or a StoreError", async () => {
    await fc.assert(
      fc.asyncProperty(anyPlay, async (given) => {
        const { stage } = await played(given);
        for (const caller of stage.callers) {
          // A tick of 10 ms, and the step of 5 ms by which the stage moves.
          expect(caller.answeredAtMs).toBeLessThanOrEqual(caller.expiresAtMs + 15);
          if (!isError(caller)) expect(caller.answer).toBe(caller.number);
        }
      }),
      runs(100),
    );
  });

  it("is told that nothing was executed only where that is so", async () => {
    await fc.assert(
      fc.asyncProperty(anyPlay, async (given) => {
        const { stage, ends } = await played(given);
        for (const caller of stage.callers) {
          const { answer, number } = caller;
          const own = ends.get(number) ?? [];
          const mayBeExecuted = own.includes("done") || own.includes("unknown");
          if (answer instanceof StoreError && answer.isRetryable) expect(mayBeExecuted).toBe(false);
        }
      }),
      runs(100),
    );
  });

  it("has its command sent again only if it was surely not executed", async () => {
    await fc.assert(
      fc.asyncProperty(anyPlay, async (given) => {
        const { ends } = await played(given);
        for (const own of ends.values()) {
          for (const end of own.slice(0, -1)) expect(["late", "not executed"]).toContain(end);
          expect(own.filter((end) => end === "late").length).toBeLessThanOrEqual(1);
        }
      }),
      runs(100),
    );
  });

  it("who had an error hears of a reply that comes after all, once, and no other does", async () => {
    await fc.assert(
      fc.asyncProperty(anyPlay, async (given) => {
        const { stage, ends } = await played(given);
        for (const caller of stage.callers) {
          const wasExecuted = ends.get(caller.number)?.at(-1) === "done";
          const due = isError(caller) && wasExecuted ? [caller.number] : [];
          expect(caller.lateReplies).toEqual(due);
        }
      }),
      runs(100),
    );
  });

  it("leaves its place to another: as many can wait afterwards as before", async () => {
    await fc.assert(
      fc.asyncProperty(anyPlay, async (given) => {
        const { stage, isClosed } = await played(given);
        fc.pre(!isClosed);
        // A node whose breaker is closed.
        stage.executor.nodeOf = () => "fresh";
        const callers = Array.from({ length: MAX_IN_FLIGHT + 1 }, () => stage.ask("admit"));
        await stage.turn();
        expect(callers.filter(isError)).toEqual(callers.slice(-1));
      }),
      runs(100),
    );
  });
});
