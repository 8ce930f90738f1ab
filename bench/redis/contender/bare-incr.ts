import type { OpenClient } from "../client/open-client";
import type { RedisSubject } from "./subject";

/** One INCR: no expiry, no limit. */
export class BareIncr implements RedisSubject {
  readonly #client: OpenClient;

  constructor(client: OpenClient) {
    this.#client = client;
  }

  async ask(key: string): Promise<void> {
    await this.#client.incr(`incr:${key}`);
  }
}
