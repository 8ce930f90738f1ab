import { admit } from "../../src/engine/admit";
import type {
  AdmitCommand,
  Correction,
  DescriptorKey,
  SettleCommand,
} from "../../src/engine/command";
import { peek } from "../../src/engine/peek";
import { release } from "../../src/engine/release";
import { renew } from "../../src/engine/renew";
import type {
  AdmitReply,
  CheckReply,
  LeaseFate,
  PeekReply,
  UndoReply,
} from "../../src/engine/reply";
import { reset } from "../../src/engine/reset";
import { settle } from "../../src/engine/settle";
import type { DescriptorState } from "../../src/engine/state";
import { undo } from "../../src/engine/undo";
import type { CheckLimit, ConcurrencyLimit } from "../../src/limit/limit";

/**
 * Plays commands on the state of one descriptor (or several, by id), at instants that a test names.
 */
export class EnginePlay {
  readonly #states = new Map<string, DescriptorState>();
  readonly #isInPlace: boolean;
  #serial = 0;

  /** With `isInPlace` the play owns its states, as a memory store does. */
  constructor({ isInPlace = false } = {}) {
    this.#isInPlace = isInPlace;
  }

  state(id = "a"): DescriptorState {
    return this.#states.get(id) ?? null;
  }

  /** `cost` units of every limit that is not a slot. */
  admit(
    atMs: number,
    limits: readonly CheckLimit[],
    cost = 1,
    more: Partial<Asked> = {},
  ): AdmitReply {
    this.#serial += 1;
    const ids = more.ids ?? ["a"];
    const command: AdmitCommand = {
      type: "admit",
      operationId: more.operationId ?? `op-${this.#serial}`,
      serial: this.#serial,
      cost: costOf(limits, cost),
      targets: ids.map((id) => ({ kind: "k", id, limits })),
      ...(more.undoableForMs === undefined ? {} : { undoableForMs: more.undoableForMs }),
    };
    if (!this.#isInPlace) return this.#run(admit, command, atMs);
    return this.#run((...given) => admit(...given, true), command, atMs, false);
  }

  peek(atMs: number, limits: readonly CheckLimit[], cost = 1): PeekReply {
    const targets = [{ kind: "k", id: "a", limits }];
    return this.#run(peek, { type: "peek", cost: costOf(limits, cost), targets }, atMs);
  }

  /** Corrects what `check` charged from `charged` to `actual`. */
  settle(
    atMs: number,
    limit: CheckLimit,
    check: CheckReply | undefined,
    charged: number,
    actual: number,
    operationId = "",
    onceForMs?: number,
  ): void {
    this.#serial += 1;
    const correction: Correction = {
      limit,
      charged,
      actual,
      chargedAt: check?.chargedAt,
      serial: check?.serial ?? 0,
    };
    const targets = [{ kind: "k", id: "a", corrections: [correction] }];
    const once = onceForMs === undefined ? {} : { onceForMs };
    const command: SettleCommand = {
      type: "settle",
      operationId,
      serial: this.#serial,
      targets,
      ...once,
    };
    this.#run(settle, command, atMs);
  }

  release(atMs: number, limit: ConcurrencyLimit, operationId: string): void {
    const targets = [{ kind: "k", id: "a", limits: [limit] }];
    this.#run(release, { type: "release", operationId, targets }, atMs);
  }

  renew(
    atMs: number,
    limit: ConcurrencyLimit,
    leases: readonly { readonly operationId: string; readonly expiresAtMs: number }[],
  ): readonly { readonly fate: LeaseFate; readonly expiresAtMs: number }[] {
    this.#serial += 1;
    const targets = [{ kind: "k", id: "a", leases: leases.map((lease) => ({ limit, ...lease })) }];
    return this.#run(renew, { type: "renew", serial: this.#serial, targets }, atMs).leases;
  }

  undo(
    atMs: number,
    limits: readonly CheckLimit[],
    operationId: string,
    tombstoneMs = 1000,
  ): UndoReply {
    this.#serial += 1;
    const targets = [{ kind: "k", id: "a", limits }];
    return this.#run(
      undo,
      { type: "undo", operationId, serial: this.#serial, targets, tombstoneMs },
      atMs,
    );
  }

  reset(atMs: number): void {
    this.#run(reset, { type: "reset", targets: [{ kind: "k", id: "a" }] }, atMs);
  }

  #run<C extends { readonly targets: readonly DescriptorKey[] }, R>(
    transition: (
      states: readonly DescriptorState[],
      command: C,
      nowMs: number,
    ) => { readonly states: readonly DescriptorState[]; readonly reply: R },
    command: C,
    atMs: number,
    isPure = true,
  ): R {
    const before = command.targets.map(({ id }) => this.state(id));
    const frozen = before.map((state) => JSON.stringify(state));
    const { states, reply } = transition(before, command, atMs);
    // A transition is pure: what it was given stays as it was.
    for (const [index, state] of before.entries()) {
      if (isPure && JSON.stringify(state) !== frozen[index])
        throw new Error("A transition changed its input");
    }
    for (const [index, { id }] of command.targets.entries()) {
      this.#states.set(id, states[index] as DescriptorState);
    }
    return reply;
  }
}

interface Asked {
  readonly ids: readonly string[];
  readonly operationId: string;
  readonly undoableForMs: number;
}

function costOf(limits: readonly CheckLimit[], cost: number): Record<string, number> {
  return Object.fromEntries(limits.map(({ unit }) => [unit, cost]));
}
