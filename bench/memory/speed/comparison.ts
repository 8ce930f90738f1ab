import { MeasuredProcess } from "../../process/measured-process";
import type { ContenderName } from "../contender/contenders";
import type { Answer, SpeedOrder, SpeedQuestion } from "./cell";

/**
 * Nanoseconds per verdict of each contender, round by round: equal places were measured in turn.
 */
export type Rounds = ReadonlyMap<ContenderName, readonly number[]>;

/**
 * Contenders with the same keys and limits, each in a process of its own. A round runs them one
 * after the other, so that what disturbs the machine meets all of them; the next round begins with
 * another.
 */
export class Comparison {
  readonly #processes: ReadonlyMap<ContenderName, MeasuredProcess>;

  private constructor(processes: ReadonlyMap<ContenderName, MeasuredProcess>) {
    this.#processes = processes;
  }

  /** Starts the processes and fills their limiters. */
  static async start(
    contenders: readonly ContenderName[],
    setting: Omit<SpeedOrder, "contender">,
  ): Promise<Comparison> {
    const processes = new Map(
      contenders.map((contender) => {
        const order: SpeedOrder = { contender, ...setting };
        return [contender, new MeasuredProcess("speed", order)];
      }),
    );
    await Promise.all([...processes.values()].map((process) => process.answer()));
    return new Comparison(processes);
  }

  /** Measures some of the contenders. Once they were rejected they are never admitted again. */
  async measure(
    contenders: readonly ContenderName[],
    answer: Answer,
    rounds: number,
  ): Promise<Rounds> {
    const results = contenders.map((name) => ({
      name,
      process: this.#processes.get(name) as MeasuredProcess,
      ns: [] as number[],
    }));
    for (const { process } of results) await ask(process, `prepare ${answer}`);
    for (let round = 0; round < rounds; round += 1) {
      for (let turn = 0; turn < results.length; turn += 1) {
        const { process, ns } = results[(round + turn) % results.length] as (typeof results)[0];
        ns.push(await ask<number>(process, "round"));
      }
    }
    return new Map(results.map(({ name, ns }) => [name, ns]));
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#processes.values()].map((process) => process.stop()));
  }
}

function ask<T>(process: MeasuredProcess, question: SpeedQuestion): Promise<T> {
  return process.answer<T>(question);
}
