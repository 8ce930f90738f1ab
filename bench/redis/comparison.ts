import type { RedisServer } from "../../tools/redis/redis-server";
import { MeasuredProcess } from "../process/measured-process";
import type { Round } from "./cell";
import type { Part } from "./cells";
import {
  type Contender,
  commandOf,
  contendersOf,
  nameOf,
  type SubjectName,
} from "./contender/contenders";
import type { LoadOrder, LoadQuestion, LoadResult } from "./load/load";
import { workOf } from "./server/server-work";

/** By contender, round by round: equal places were measured in turn. */
export type Rounds = ReadonlyMap<string, readonly Round[]>;

/** How long everything is measured. */
export interface Pace {
  readonly rounds: number;
  readonly roundMs: number;
  readonly warmUpMs: number;
}

interface Runner {
  readonly contender: Contender;
  readonly process: MeasuredProcess;
}

/**
 * Contenders on one server, each in a process of its own with one connection. A round runs them one
 * after the other; the next round begins with another.
 */
export class Comparison {
  readonly #server: RedisServer;
  readonly #pace: Pace;
  readonly #runners: readonly Runner[];

  private constructor(server: RedisServer, pace: Pace, runners: readonly Runner[]) {
    this.#server = server;
    this.#pace = pace;
    this.#runners = runners;
  }

  /** Starts the processes. */
  static async start(
    server: RedisServer,
    subjects: readonly SubjectName[],
    pace: Pace,
  ): Promise<Comparison> {
    const runners = contendersOf(subjects).map((contender) => {
      const order: LoadOrder = { ...contender, port: server.port };
      return { contender, process: new MeasuredProcess("redis-load", order) };
    });
    const comparison = new Comparison(server, pace, runners);
    try {
      await Promise.all(runners.map(({ process }) => process.answer()));
      return comparison;
    } catch (error) {
      await comparison.stop();
      throw error;
    }
  }

  /** Gives some of the contenders keys, limits, and counters that stand at little. */
  async prepare({ subjects, limits, keys }: Omit<Part, "inFlight">): Promise<void> {
    await this.#server.command("FLUSHALL");
    for (const { process } of this.#runnersOf(subjects)) {
      await ask(process, { type: "prepare", limits, keys });
    }
  }

  /** Measures some of those that were prepared. */
  async measure(subjects: readonly SubjectName[], inFlight: number): Promise<Rounds> {
    const { rounds, roundMs, warmUpMs } = this.#pace;
    const results = this.#runnersOf(subjects).map((runner) => ({ runner, rounds: [] as Round[] }));
    for (const { runner } of results) {
      const { process } = runner;
      await ask(process, { type: "load", inFlight, durationMs: warmUpMs });
    }
    for (let round = 0; round < rounds; round += 1) {
      for (let turn = 0; turn < results.length; turn += 1) {
        const result = results[(round + turn) % results.length] as (typeof results)[0];
        result.rounds.push(await this.#round(result.runner, inFlight, roundMs));
      }
    }
    return new Map(results.map(({ runner, rounds: own }) => [nameOf(runner.contender), own]));
  }

  #runnersOf(subjects: readonly SubjectName[]): readonly Runner[] {
    return this.#runners.filter(({ contender }) => subjects.includes(contender.subject));
  }

  async #round(
    { contender, process }: Runner,
    inFlight: number,
    durationMs: number,
  ): Promise<Round> {
    const command = commandOf(contender);
    const before = await workOf(this.#server);
    const load = await ask<LoadResult>(process, { type: "load", inFlight, durationMs });
    const after = await workOf(this.#server);
    const { verdicts } = load;
    return {
      wallUs: (load.wallMs * 1000) / verdicts,
      clientUs: (load.clientMs * 1000) / verdicts,
      serverUs: ((after.processorMs - before.processorMs) * 1000) / verdicts,
      commandUs: (after.commandUs(command) - before.commandUs(command)) / verdicts,
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#runners.map(({ process }) => process.stop()));
  }
}

function ask<T>(process: MeasuredProcess, question: LoadQuestion): Promise<T> {
  return process.answer<T>(question);
}
