import { expect } from "vitest";
import { admit } from "../../../src/engine/admit";
import { chainExpiresAtMs } from "../../../src/engine/chain";
import type { AdmitCommand, DescriptorKey } from "../../../src/engine/command";
import { peek } from "../../../src/engine/peek";
import { release } from "../../../src/engine/release";
import { renew } from "../../../src/engine/renew";
import type { CheckReply } from "../../../src/engine/reply";
import { reset } from "../../../src/engine/reset";
import { settle } from "../../../src/engine/settle";
import type { DescriptorState, LimitState } from "../../../src/engine/state";
import type { Transition } from "../../../src/engine/transition";
import { undo } from "../../../src/engine/undo";
import { admitOperation } from "../../../src/redis/wire/admit";
import type { Operation } from "../../../src/redis/wire/operation";
import { peekOperation } from "../../../src/redis/wire/peek";
import { releaseOperation } from "../../../src/redis/wire/release";
import { renewOperation } from "../../../src/redis/wire/renew";
import { resetOperation } from "../../../src/redis/wire/reset";
import { settleOperation } from "../../../src/redis/wire/settle";
import { undoOperation } from "../../../src/redis/wire/undo";
import { commandFor, type PlayedAdmit, type Step } from "./step";
import { liveStateOf, purge, storedStateOf } from "./stored-state";
import type { TwinServer } from "./twin-server";

type Targeted = { readonly targets: readonly DescriptorKey[] };

type TransitionOf<C, R> = (
  states: readonly DescriptorState[],
  command: C,
  nowMs: number,
) => Transition<R>;

const IDS = ["a", "b", "c"];

/** Plays one random sequence on the transitions and on the server, and compares all they say. */
export class TwinPlay {
  readonly #server: TwinServer;
  readonly #states = new Map<string, DescriptorState>();
  readonly #admits: PlayedAdmit[] = [];
  readonly #slotNames: readonly string[];
  #nowMs: number;

  constructor(server: TwinServer, startMs: number, slotNames: readonly string[]) {
    this.#server = server;
    this.#nowMs = startMs;
    this.#slotNames = slotNames;
  }

  async step(step: Step): Promise<void> {
    if (step.passMs < 0) await this.#purge();
    this.#nowMs = Math.max(0, this.#nowMs + step.passMs);
    const played = commandFor(step, this.#admits, this.#nowMs);
    switch (played.type) {
      case "admit":
        await this.#both(admitOperation, admit, played.commands, (command, { checks }) =>
          this.#remember(command, checks),
        );
        break;
      case "peek":
        await this.#both(peekOperation, peek, played.commands);
        break;
      case "settle":
        await this.#both(settleOperation, settle, played.commands);
        break;
      case "release":
        await this.#both(releaseOperation, release, played.commands);
        break;
      case "renew":
        await this.#both(renewOperation, renew, played.commands);
        break;
      case "undo":
        await this.#both(undoOperation, undo, played.commands);
        break;
      case "reset":
        await this.#both(resetOperation, reset, played.commands);
        break;
    }
    await this.#expectSameState();
  }

  #remember(command: AdmitCommand, checks: readonly CheckReply[]): void {
    this.#admits.push({ command, checks });
  }

  async #both<C extends Targeted, R>(
    operation: Operation<C, R>,
    transition: TransitionOf<C, R>,
    commands: readonly C[],
    then: (command: C, reply: R) => void = () => undefined,
  ): Promise<void> {
    if (commands.length === 0) return;
    const expected = commands.map((command) => this.#transit(transition, command));
    const received = await this.#server.run(operation, commands, this.#nowMs);
    expect(received).toEqual(expected);
    for (const [place, command] of commands.entries()) then(command, expected[place] as R);
  }

  #transit<C extends Targeted, R>(transition: TransitionOf<C, R>, command: C): R {
    const before = command.targets.map(({ id }) => this.#states.get(id) ?? null);
    const { states, reply } = transition(before, command, this.#nowMs);
    for (const [place, { id }] of command.targets.entries()) {
      this.#states.set(id, states[place] as DescriptorState);
    }
    return reply;
  }

  async #expectSameState(): Promise<void> {
    for (const id of IDS) {
      const descriptor = { kind: "k", id };
      const stored = await storedStateOf(this.#server, descriptor, this.#slotNames, this.#nowMs);
      expect(stored.live).toEqual(liveStateOf(this.#states.get(id) ?? null, this.#nowMs));
      // Law 7: whatever is stored has a time to live.
      for (const leftMs of stored.timesToLive) expect(leftMs).toBeGreaterThan(0);
    }
  }

  /**
   * What has expired may be gone or not: nobody looks at it again, unless the clock steps back. It
   * is taken away on both sides before that.
   */
  async #purge(): Promise<void> {
    for (const id of IDS) {
      await purge(this.#server, { kind: "k", id }, this.#slotNames, this.#nowMs);
      this.#states.set(id, withoutDead(this.#states.get(id) ?? null, this.#nowMs));
    }
  }
}

function withoutDead(chain: DescriptorState, nowMs: number): DescriptorState {
  const alive: LimitState[] = [];
  for (let node = chain; node !== null; node = node.next) {
    if (chainExpiresAtMs({ ...node, next: null }) > nowMs)
      alive.push(withoutDeadParts(node, nowMs));
  }
  return alive.reduceRight<DescriptorState>((next, node) => ({ ...node, next }), null);
}

function withoutDeadParts(node: LimitState, nowMs: number): LimitState {
  if ("records" in node) {
    return { ...node, records: node.records.filter(({ expiresAtMs }) => expiresAtMs > nowMs) };
  }
  if (!("expiriesMs" in node)) return node;
  const first = node.expiriesMs.findIndex((expiryMs) => expiryMs > nowMs);
  return { ...node, ids: node.ids.slice(first), expiriesMs: node.expiriesMs.slice(first) };
}
