import { FakeClock, seededRandom } from "@sluice/testing";
import type { DescriptorKey } from "../../../src/engine/command";
import { StoreError } from "../../../src/error/store-error";
import { Dispatcher } from "../../../src/redis/dispatch/dispatcher";
import type { CallFailure } from "../../../src/redis/executor/call-failure";
import { KeyTexts } from "../../../src/redis/key/key-texts";
import { Nodes } from "../../../src/redis/node/nodes";
import { numberedCommand, numberedOperation, replyTo } from "./numbered-operation";
import { type OpenCall, ScriptedExecutor } from "./scripted-executor";

export const TIMEOUT_MS = 100;

/** What a caller has been told so far. */
export interface Caller {
  readonly number: number;
  readonly expiresAtMs: number;
  answer: number | StoreError | undefined;
  answeredAtMs: number;
  readonly lateReplies: number[];
}

interface Asked {
  readonly weight?: number;
  readonly slot?: number;
  readonly expiresAtMs?: number;
  readonly targets?: readonly DescriptorKey[];
}

const operations = new Map(
  ["renew", "settle", "release", "undo", "reset", "admit", "peek"].map((name) => [
    name,
    numberedOperation(name),
  ]),
);

/** A dispatcher whose time, turns of I/O and server are a test's. */
export class DispatcherStage {
  /** Far from 0, which stands for no deadline. */
  readonly clock = new FakeClock({ startMs: 1_000_000 });
  readonly executor = new ScriptedExecutor();
  readonly changes: string[] = [];
  readonly callers: Caller[] = [];
  readonly dispatcher: Dispatcher;
  readonly #turns: (() => void)[] = [];

  constructor({ maxInFlight = 2000 } = {}) {
    const { clock, executor } = this;
    const random = seededRandom(1);
    const nodes = new Nodes(clock, random, TIMEOUT_MS, (change, node) =>
      this.changes.push(`${change} ${node}`),
    );
    const texts = new KeyTexts("p", undefined);
    const afterIo = (fn: () => void) => void this.#turns.push(fn);
    const ports = { executor, nodes, texts, clock, random, afterIo };
    this.dispatcher = new Dispatcher(ports, { timeoutMs: TIMEOUT_MS, maxInFlight });
  }

  /** Asks a command whose number is its place among the callers. */
  ask(name: string, { weight = 1, slot = 0, targets, ...options }: Asked = {}): Caller {
    const operation = operations.get(name) ?? numberedOperation(name);
    const { expiresAtMs = this.clock.nowMs() + TIMEOUT_MS } = options;
    const caller: Caller = {
      number: this.callers.length,
      expiresAtMs,
      answer: undefined,
      answeredAtMs: Number.POSITIVE_INFINITY,
      lateReplies: [],
    };
    this.callers.push(caller);
    const onLateReply = (reply: number) => void caller.lateReplies.push(reply);
    const told = (answer: number | StoreError) => {
      caller.answer = answer;
      caller.answeredAtMs = this.clock.nowMs();
    };
    const command = numberedCommand(caller.number, weight);
    const asked = targets === undefined ? command : { ...command, targets };
    this.dispatcher.send(operation, asked, { ...options, slot, onLateReply }).then(told, told);
    return caller;
  }

  /** Lets promises and a turn of I/O go by, with all that they lead to. */
  async turn(): Promise<void> {
    await this.clock.advanceAsync(0);
    for (const fn of this.#turns.splice(0)) fn();
    await this.clock.advanceAsync(0);
  }

  /** Moves time by steps of at most 5 ms, each with a turn of I/O. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 5) {
      await this.clock.advanceAsync(Math.min(5, left));
      await this.turn();
    }
  }

  get sent(): readonly OpenCall[] {
    return this.executor.sent;
  }

  call(place: number): OpenCall {
    const call = this.sent.at(place);
    if (call === undefined) throw new Error(`Only ${this.sent.length} calls were sent`);
    return call;
  }

  /** Answers a call, the latest one if none is named. */
  async reply(place = -1, isLate: (number: number) => boolean = () => false): Promise<void> {
    const call = this.call(place);
    call.reply(replyTo(call, this.clock.nowMs(), isLate));
    await this.turn();
  }

  async fail(failure: CallFailure, place = -1): Promise<void> {
    this.call(place).fail(failure);
    await this.turn();
  }
}

/** What an error says, in one word and whether the command surely was not executed. */
export function errorOf({ answer }: Caller): string {
  if (!(answer instanceof StoreError)) return `no error: ${String(answer)}`;
  const code = answer.code.replace("SLUICE_STORE_", "").toLowerCase();
  return answer.isRetryable ? `${code}, not executed` : code;
}
