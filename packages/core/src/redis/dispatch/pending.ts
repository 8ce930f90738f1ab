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

/** One command whose caller waits for the answer: answered once, by a reply or an error. */
export class Pending<C extends Sendable = never, R = unknown> {
  readonly operation: Operation<C, R>;
  readonly command: C;
  /** The hash slot of its keys, 0 where there is only one server. */
  readonly slot: number;
  readonly expiresAtMs: Milliseconds;
  /** False once the server has said LATE: its clock is not what we took it for. */
  hasDeadline = true;
  /** The call that it was sent in last. */
  #call: SentTo | undefined;
  readonly #resolve: (reply: R) => void;
  readonly #reject: (error: StoreError) => void;
  readonly #onLateReply: ((reply: R) => void) | undefined;
  #isAnswered = false;

  constructor(
    question: Pick<Pending<C, R>, "operation" | "command" | "slot" | "expiresAtMs">,
    answer: {
      readonly resolve: (reply: R) => void;
      readonly reject: (error: StoreError) => void;
      readonly onLateReply: ((reply: R) => void) | undefined;
    },
  ) {
    this.operation = question.operation;
    this.command = question.command;
    this.slot = question.slot;
    this.expiresAtMs = question.expiresAtMs;
    this.#resolve = answer.resolve;
    this.#reject = answer.reject;
    this.#onLateReply = answer.onLateReply;
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
      this.#onLateReply?.(reply);
      return;
    }
    this.#isAnswered = true;
    this.#resolve(reply);
  }

  /** Nothing happens if the caller was answered. */
  fail(error: StoreError): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    this.#reject(error);
  }
}
