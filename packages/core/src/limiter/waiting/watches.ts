import type { DescriptorKey } from "../../engine/command";
import { descriptorKey } from "./lines";

/** A question on its way to the store and back. */
export interface Watch {
  /** Whether something was given back meanwhile that the store may not have known of. */
  isStale: boolean;
}

/**
 * What is given back while a question is at the store: the answer may be older than that, and
 * whoever then began to wait would not hear of it.
 */
export class Watches {
  readonly #byKey = new Map<string, Set<Watch>>();

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  start(targets: readonly DescriptorKey[]): { readonly watch: Watch; readonly end: () => void } {
    const watch = { isStale: false };
    const keys = targets.map(descriptorKey);
    for (const key of keys) {
      const ofKey = this.#byKey.get(key) ?? new Set();
      this.#byKey.set(key, ofKey.add(watch));
    }
    const end = () => {
      for (const key of keys) {
        const ofKey = this.#byKey.get(key);
        ofKey?.delete(watch);
        if (ofKey?.size === 0) this.#byKey.delete(key);
      }
    };
    return { watch, end };
  }

  /** Notes that something of a descriptor was given back. */
  note(key: string): void {
    for (const watch of this.#byKey.get(key) ?? []) watch.isStale = true;
  }
}
