import { type MemoryStore, type MemoryStoreOptions, memoryStore } from "@sluice/core";

/** Makes the stores of the tests in one file. */
export interface StoreMaker {
  /** What the store is made of: for titles, and for what only one kind does. */
  readonly kind: "memory" | "server";
  readonly open: (options?: MemoryStoreOptions) => MemoryStore;
  /** How many of the usual runs a property gets. */
  readonly runsScale: number;
}

let current: StoreMaker = { kind: "memory", open: memoryStore, runsScale: 1 };

/**
 * Has the tests of this file run on other stores than memory: to be called before they are loaded.
 */
export function testOn(maker: StoreMaker): void {
  current = maker;
}

/** The kind of store that the tests of this file run on. */
export function storeUnderTest(): StoreMaker {
  return current;
}

/** A store of that kind. */
export function openStore(options?: MemoryStoreOptions): MemoryStore {
  return current.open(options);
}
