import type { Milliseconds } from "../limit/limit";
import type { Outcome } from "../verdict/outcome";
import type { OutboundPermit } from "./outbound-permit";
import type { UpstreamPermit, UpstreamRefusal } from "./upstream";

/** What a call holds of all that stands before its upstream. */
export interface Holdings {
  readonly waitedMs: Milliseconds;
  /** In the order in which they are told, and given back. */
  readonly parts: readonly OutboundPermit[];
  readonly onRefused: (refusal: UpstreamRefusal) => void;
}

/** One permit for several: each hears of the first byte and of the end, once. */
export class CombinedPermit implements UpstreamPermit {
  readonly waitedMs: Milliseconds;
  readonly #parts: readonly OutboundPermit[];
  readonly #onRefused: (refusal: UpstreamRefusal) => void;
  #isOpen = true;

  constructor({ waitedMs, parts, onRefused }: Holdings) {
    this.waitedMs = waitedMs;
    this.#parts = parts;
    this.#onRefused = onRefused;
  }

  firstByte(): void {
    if (!this.#isOpen) return;
    for (const part of this.#parts) part.firstByte();
  }

  refused(refusal?: UpstreamRefusal): void {
    // Null from a caller without types must not throw where nothing is to be thrown.
    if (this.#isOpen) this.#onRefused(refusal ?? {});
  }

  end(outcome: Outcome = "success"): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const part of this.#parts) part.end(outcome);
  }
}
