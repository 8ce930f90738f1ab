import { CallFailure } from "./call-failure";
import { classify, isCompileError, isNoScript } from "./classify";
import type { ScriptCall } from "./executor";

/** The two commands by which a client calls a script. */
export interface ScriptCommands {
  evalSha(sha: string, call: ScriptCall): Promise<unknown>;
  evalSource(source: string, call: ScriptCall): Promise<unknown>;
}

/**
 * Calls scripts by their SHA-1 and sends their text where the server does not know them: after
 * NOSCRIPT nothing has run, so that is always safe. Knows no library.
 */
export class ScriptSender {
  readonly #commands: ScriptCommands;
  /** Whether the server was found not to know `#!lua`. */
  #isPlain = false;
  /** The scripts whose text is on its way to a server. */
  readonly #loading = new Set<string>();

  constructor(commands: ScriptCommands) {
    this.#commands = commands;
  }

  /** @throws CallFailure and only that, by rejecting. */
  run(call: ScriptCall): Promise<string> {
    return this.#bySha(call).then(textOf, (error: unknown) => this.#afterError(error, call));
  }

  #bySha(call: ScriptCall): Promise<unknown> {
    const { sha, plainSha } = call.script;
    return this.#commands.evalSha(this.#isPlain ? plainSha : sha, call);
  }

  async #afterError(error: unknown, call: ScriptCall): Promise<string> {
    try {
      return textOf(await this.#bySource(error, call));
    } catch (last) {
      throw classify(last);
    }
  }

  async #bySource(error: unknown, call: ScriptCall): Promise<unknown> {
    if (!isNoScript(error)) throw error;
    const { sha, source, plainSource } = call.script;
    if (this.#loading.has(sha)) {
      // The text is a few kilobytes: one of many calls sends it, and the others follow behind it.
      try {
        return await this.#bySha(call);
      } catch (again) {
        if (!isNoScript(again)) throw again;
      }
    }
    if (this.#isPlain) return this.#load(plainSource, call);
    try {
      return await this.#load(source, call);
    } catch (refusal) {
      if (!isCompileError(refusal)) throw refusal;
      this.#isPlain = true;
      return this.#load(plainSource, call);
    }
  }

  async #load(source: string, call: ScriptCall): Promise<unknown> {
    const { sha } = call.script;
    this.#loading.add(sha);
    try {
      return await this.#commands.evalSource(source, call);
    } finally {
      this.#loading.delete(sha);
    }
  }
}

function textOf(reply: unknown): string {
  if (typeof reply === "string") return reply;
  const cause = new TypeError(`Expected a text as the reply of a script, received ${typeof reply}`);
  throw new CallFailure({ code: "SLUICE_STORE_PROTOCOL", cause });
}
