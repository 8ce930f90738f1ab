import type { DescriptorKey } from "../../engine/command";
import { slotOf } from "./slot";

/**
 * The version of what is stored. It stands in every key, so that two versions of Sluice with
 * different formats never read each other's keys.
 */
const FORMAT = 1;

/**
 * The texts of keys. The chain of a descriptor (its counters) is at
 * `<prefix><format>:{<kind>:<id>}`, the leases of one of its limits at that and `~<limit>`, the
 * record of an operation at that and `!<operation id>`. With `hashTag` the tag is the caller's, and
 * kind and id follow it.
 *
 * Kinds, ids and names are encoded (see descriptor/key.ts) and hold no `{`, `}`, `~` or `!`, so
 * that no two things meet in one key, and nobody's id moves the tag.
 */
export class KeyTexts {
  readonly #start: string;
  readonly #hashTag: ((descriptor: DescriptorKey) => string) | undefined;

  constructor(prefix: string, hashTag: ((descriptor: DescriptorKey) => string) | undefined) {
    this.#start = `${prefix}${FORMAT}:{`;
    this.#hashTag = hashTag;
  }

  /** The key of the counters of a descriptor. */
  chain(descriptor: DescriptorKey): string {
    const { kind, id } = descriptor;
    if (this.#hashTag === undefined) return `${this.#start}${kind}:${id}}`;
    return `${this.#start}${encodeTag(this.#tagOf(descriptor))}}${kind}:${id}`;
  }

  /** The caller's tag; the descriptor's own one where the caller's function has none. */
  #tagOf(descriptor: DescriptorKey): string {
    try {
      const tag: unknown = this.#hashTag?.(descriptor);
      if (typeof tag === "string") return tag;
    } catch {
      // Keys are made where nobody could catch it, and each is to be the same each time.
    }
    return `${descriptor.kind}:${descriptor.id}`;
  }

  /** The key of the leases of a limit of the descriptor whose counters are at `chain`. */
  leases(chain: string, limitName: string): string {
    return `${chain}~${limitName}`;
  }

  /** The key of what an operation charged to the descriptor whose counters are at `chain`. */
  record(chain: string, operationId: string): string {
    return `${chain}!${operationId}`;
  }

  /** The hash slot of a descriptor: 0 to 16383. */
  slot(descriptor: DescriptorKey): number {
    return slotOf(this.chain(descriptor));
  }
}

/** A tag that is empty or holds braces would not be one. */
function encodeTag(tag: string): string {
  return tag === "" ? "%" : tag.replace(/[^A-Za-z0-9_.:@#%-]/g, escapeUnit);
}

function escapeUnit(unit: string): string {
  return `%${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}
