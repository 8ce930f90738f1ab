import { memoryStore, type Store, StoreError } from "@sluice/core";

/** A shared store that can be away: then every call fails at once, and changes nothing. */
export class UnreachableStore implements Store {
  readonly instances = 2;
  readonly #store = memoryStore();
  isAway = false;

  admit: Store["admit"] = (command) => this.#unlessAway("admit", () => this.#store.admit(command));
  peek: Store["peek"] = (command) => this.#unlessAway("peek", () => this.#store.peek(command));
  settle: Store["settle"] = (command) =>
    this.#unlessAway("settle", () => this.#store.settle(command));
  release: Store["release"] = (command) =>
    this.#unlessAway("release", () => this.#store.release(command));
  renew: Store["renew"] = (command) => this.#unlessAway("renew", () => this.#store.renew(command));
  undo: Store["undo"] = (command) => this.#unlessAway("undo", () => this.#store.undo(command));
  reset: Store["reset"] = (command) => this.#unlessAway("reset", () => this.#store.reset(command));

  close(): Promise<void> {
    return this.#store.close();
  }

  async #unlessAway<T>(operation: string, execute: () => Promise<T>): Promise<T> {
    if (!this.isAway) return await execute();
    const code = "SLUICE_STORE_UNREACHABLE";
    throw new StoreError("The store is away.", { code, operation, isRetryable: true });
  }
}
