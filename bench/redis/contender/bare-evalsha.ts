import { createHash } from "node:crypto";
import type { OpenClient } from "../client/open-client";
import type { RedisSubject } from "./subject";

const SOURCE = "return redis.call('INCR', KEYS[1])";
const SHA = createHash("sha1").update(SOURCE).digest("hex");

/** One EVALSHA of a script with one key that does one INCR: what a script costs by itself. */
export class BareEvalSha implements RedisSubject {
  readonly #client: OpenClient;

  private constructor(client: OpenClient) {
    this.#client = client;
  }

  static async load(client: OpenClient): Promise<BareEvalSha> {
    await client.loadScript(SOURCE);
    return new BareEvalSha(client);
  }

  async ask(key: string): Promise<void> {
    await this.#client.evalSha(SHA, `evalsha:${key}`);
  }
}
