import { keyTexts } from "../../key/key-text";
import { KeyWalk } from "../../key/key-walk";
import { answerParent, readArgument, tellParent } from "../../process/answer-parent";
import { Stopwatch } from "../../process/stopwatch";
import { prepare } from "../contender/contenders";
import type { Subject } from "../contender/subject";
import type { Answer, SpeedOrder, SpeedQuestion } from "./cell";

/** Long enough for the optimising compiler to be done with the loop. */
const WARM_UP_MS = 200;
const ROUND_MS = 20;

/** The counters must not roll over while they are measured. */
const WINDOW_MS = 3_600_000;

/** Asks one subject in rounds of about the same length. */
class RoundsOf {
  readonly #subject: Subject;
  readonly #keys: readonly string[];
  readonly #walk: KeyWalk;
  readonly #stopwatch = new Stopwatch();
  #answer: Answer = "admitted";
  #count = 1000;

  constructor(subject: Subject, keys: readonly string[]) {
    this.#subject = subject;
    this.#keys = keys;
    this.#walk = new KeyWalk(keys);
  }

  /** Runs until the loop is warm, and finds how many questions fill a round. */
  async prepare(answer: Answer): Promise<void> {
    if (answer === "rejected") await this.#subject.exhaust(this.#keys);
    this.#answer = answer;
    this.#count = 1000;
    let spentMs = 0;
    let lastMs = 0;
    while (spentMs < WARM_UP_MS) {
      lastMs = await this.#timedAsk();
      spentMs += lastMs;
      if (lastMs < ROUND_MS) this.#count *= 2;
    }
    this.#count = Math.max(1000, Math.round((this.#count * ROUND_MS) / lastMs));
  }

  /** Nanoseconds per question, with all of its limits. */
  async round(): Promise<number> {
    return ((await this.#timedAsk()) * 1e6) / this.#count;
  }

  async #timedAsk(): Promise<number> {
    const count = this.#count;
    this.#stopwatch.start();
    const admitted = await this.#subject.ask(this.#walk, count);
    const { ownMs } = this.#stopwatch.lap();
    const expected = this.#answer === "admitted" ? count : 0;
    if (admitted !== expected) throw new Error(`${admitted} of ${count} were admitted.`);
    return ownMs;
  }
}

async function main(): Promise<void> {
  const { contender, keys: keyCount, limits } = readArgument<SpeedOrder>();
  const keys = keyTexts(0, keyCount);
  const subject = prepare(contender, { limits, windowMs: WINDOW_MS });
  await subject.fill(keys);
  const rounds = new RoundsOf(subject, keys);
  answerParent(async (question: SpeedQuestion) => {
    if (question === "round") return rounds.round();
    await rounds.prepare(question === "prepare admitted" ? "admitted" : "rejected");
    return "prepared";
  });
  tellParent("filled");
}

await main();
