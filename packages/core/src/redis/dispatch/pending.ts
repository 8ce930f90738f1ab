import type { DescriptorKey } from "../../engine/command";
import type { StoreError } from "../../error/store-error";
import type { Milliseconds } from "../../limit/limit";
import type { CallOnNode } from "../node/node-health";
import type { Operation } from "../wire/operation";

/** A command that can be sent: every command names its descriptors. */
export type Sendable = { readonly targets: readonly DescriptorKey[] };

/** Where a command was sent. */
export interface SentTo {
  readonly node: string;
  readonly onNode: CallOnNode;
}

/** What is asked, where, until when, and who hears of a reply that comes later. */
interface Question<C extends Sendable, R> {
  readonly operation: Operation<C, R>;
  readonly command: C;
  /** The hash slot of its keys, 0 where there is only one server. */
  readonly slot: number;
  readonly expiresAtMs: Milliseconds;
  readonly onLateReply: ((reply: R, command: C) => void) | undefined;
}

/** One command whose caller waits for the answer: answered once, by a reply or an error. */
export class Pending<C extends Sendable = never, R = unknown> {
  readonly operation: Operation<C, R>;
  readonly command: C;
  readonly slot: number;
  readonly expiresAtMs: Milliseconds;
  /** What the caller waits for. */
  readonly reply: Promise<R>;
  /** False once the server has said LATE: its clock is not what we took it for. */
  hasDeadline = true;
  /** The call that it was sent in last. */
  #call: SentTo | undefined;
  #resolve!: (reply: R) => void;
  #reject!: (error: StoreError) => void;
  readonly #onLateReply: Question<C, R>["onLateReply"];
  readonly #onAnswered: () => void;
  #isAnswered = false;

  /** `onAnswered` is called once, with the answer to the caller. */
  constructor(question: Question<C, R>, onAnswered: () => void) {
    this.operation = question.operation;
    this.command = question.command;
    this.slot = question.slot;
    this.expiresAtMs = question.expiresAtMs;
    this.#onLateReply = question.onLateReply;
    this.#onAnswered = onAnswered;
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get call(): SentTo | undefined {
    return this.#call;
  }

  sentIn(call: SentTo): void {
    this.#call = call;
  }

  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Answers the caller; who has given up is told through `onLateReply`. */
  answer(reply: R): void {
    if (this.#isAnswered) {
      this.#onLateReply?.(reply, this.command);
      return;
    }
    this.#isAnswered = true;
    this.#onAnswered();
    this.#resolve(reply);
  }

  /** Nothing happens if the caller was answered. */
  fail(error: StoreError): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    this.#onAnswered();
    this.#reject(error);
  }
}
