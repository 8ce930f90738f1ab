import { classify, isCompileError, isNoScript } from "./classify";
import type { ScriptCall } from "./executor";

/** The two commands by which a client calls a script. */
export interface ScriptCommands {
  evalSha(sha: string, call: ScriptCall): Promise<unknown>;
  evalSource(source: string, call: ScriptCall): Promise<unknown>;
}

/** How often a call goes by SHA-1 before it takes its text along whatever others do. */
const SHA_TRIES = 3;

/**
 * Calls scripts by their SHA-1 and sends their text where the server does not know them: after
 * NOSCRIPT nothing has run, so that is always safe. A text is a few kilobytes, so of the calls that
 * find it missing the first sends it, and the others go again by SHA-1 behind it. Knows no library.
 */
export class ScriptSender {
  readonly #commands: ScriptCommands;
  /** Whether the server was found not to know `#!lua`. */
  #isPlain = false;
  /** Counts the texts that were sent; by script, which one was the last of it. */
  #loads = 0;
  readonly #lastLoads = new Map<string, number>();

  constructor(commands: ScriptCommands) {
    this.#commands = commands;
  }

  /** @throws CallFailure and only that, by rejecting. */
  run(call: ScriptCall): Promise<unknown> {
    const loads = this.#loads;
    return this.#bySha(call).catch((error: unknown) => this.#again(error, call, loads));
  }

  #bySha(call: ScriptCall): Promise<unknown> {
    const { sha, plainSha } = call.script;
    return this.#commands.evalSha(this.#isPlain ? plainSha : sha, call);
  }

  async #again(firstError: unknown, call: ScriptCall, loadsBefore: number): Promise<unknown> {
    const { sha } = call.script;
    let error = firstError;
    let loads = loadsBefore;
    try {
      for (let tries = 1; isNoScript(error); tries += 1) {
        const isOnItsWay = (this.#lastLoads.get(sha) ?? 0) > loads;
        if (!isOnItsWay || tries === SHA_TRIES) return await this.#load(call);
        loads = this.#loads;
        try {
          return await this.#bySha(call);
        } catch (next) {
          error = next;
        }
      }
      throw error;
    } catch (last) {
      throw classify(last);
    }
  }

  async #load(call: ScriptCall): Promise<unknown> {
    const { sha, source, plainSource } = call.script;
    this.#loads += 1;
    this.#lastLoads.set(sha, this.#loads);
    if (this.#isPlain) return this.#commands.evalSource(plainSource, call);
    try {
      return await this.#commands.evalSource(source, call);
    } catch (error) {
      if (!isCompileError(error)) throw error;
      this.#isPlain = true;
      return this.#commands.evalSource(plainSource, call);
    }
  }
}
