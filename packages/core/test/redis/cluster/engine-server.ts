import { admit } from "../../../src/engine/admit";
import type {
  AdmitCommand,
  DescriptorKey,
  LimitsTarget,
  PeekCommand,
  SettleCommand,
  UndoCommand,
} from "../../../src/engine/command";
import { peek } from "../../../src/engine/peek";
import type { AdmitReply, DoneReply, PeekReply, UndoReply } from "../../../src/engine/reply";
import { settle } from "../../../src/engine/settle";
import type { DescriptorState } from "../../../src/engine/state";
import type { Transition } from "../../../src/engine/transition";
import { undo } from "../../../src/engine/undo";

type Transit<C, R> = (
  states: readonly DescriptorState[],
  command: C,
  nowMs: number,
) => Transition<R>;

/** All nodes of a cluster, played by the pure transitions. */
export class EngineServer {
  readonly #states = new Map<string, DescriptorState>();

  admit(command: AdmitCommand, nowMs: number): AdmitReply {
    return this.#run(admit, command, nowMs);
  }

  peek(command: PeekCommand, nowMs: number): PeekReply {
    return this.#run(peek, command, nowMs);
  }

  undo(command: UndoCommand, nowMs: number): UndoReply {
    return this.#run(undo, command, nowMs);
  }

  settle(command: SettleCommand, nowMs: number): DoneReply {
    return this.#run(settle, command, nowMs);
  }

  /** What is in use of each limit of a question. */
  usedBy({ targets, cost }: AdmitCommand, nowMs: number): readonly number[] {
    return this.peek({ type: "peek", cost, targets }, nowMs).checks.map(({ used }) => used);
  }

  /** What is in use of each limit of some targets. */
  used(targets: readonly LimitsTarget[], nowMs: number): readonly number[] {
    const command = { type: "peek", cost: { requests: 0, tokens: 0 }, targets } as const;
    return this.peek(command, nowMs).checks.map(({ used }) => used);
  }

  #run<C extends { readonly targets: readonly DescriptorKey[] }, R>(
    transit: Transit<C, R>,
    command: C,
    nowMs: number,
  ): R {
    const names = command.targets.map(({ kind, id }) => `${kind}:${id}`);
    const before = names.map((name) => this.#states.get(name) ?? null);
    const { states, reply } = transit(before, command, nowMs);
    for (const [index, name] of names.entries()) {
      this.#states.set(name, states[index] as DescriptorState);
    }
    return reply;
  }
}
