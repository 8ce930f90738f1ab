import type { AfterIo } from "../../clock/after-io";
import type { Clock } from "../../clock/clock";
import type { DescriptorKey } from "../../engine/command";
import type { StoreError } from "../../error/store-error";
import type { Milliseconds } from "../../limit/limit";
import type { Random } from "../../random/random";
import { CallFailure } from "../executor/call-failure";
import type { Executor } from "../executor/executor";
import type { KeyTexts } from "../key/key-texts";
import type { Nodes } from "../node/nodes";
import type { ServerClock } from "../node/server-clock";
import { CallWriter } from "../wire/call-writer";
import { LATE, type Operation } from "../wire/operation";
import { ReplyReader } from "../wire/reply-reader";
import { chunksOf } from "./chunks";
import { Deadlines } from "./deadlines";
import { Gathering } from "./gathering";
import { Pending, type Sendable } from "./pending";
import { SentCall } from "./sent-call";
import {
  breakerOpenError,
  closedError,
  failureError,
  timeoutError,
  tooManyError,
} from "./store-errors";

/** What a {@link Dispatcher} works with. */
export interface DispatcherPorts {
  readonly executor: Executor;
  readonly nodes: Nodes;
  readonly texts: KeyTexts;
  readonly clock: Clock;
  readonly random: Random;
  readonly afterIo: AfterIo;
}

/** Its numbers. */
export interface DispatcherLimits {
  readonly timeoutMs: Milliseconds;
  readonly maxInFlight: number;
}

/** Where a command goes, and until when its caller waits. */
export interface SendOptions<C, R> {
  /** The hash slot of its keys; 0 where there is only one server. */
  readonly slot: number;
  /** @defaultValue the time-out from now on; never later than that */
  readonly expiresAtMs?: Milliseconds;
  /** Hears of a reply that comes after the caller was told that there is none. */
  readonly onLateReply?: ((reply: R, command: C) => void) | undefined;
}

/** In the place of the descriptor of a command that names none. */
const NO_DESCRIPTOR: DescriptorKey = { kind: "", id: "" };

/** The pause before another try after an answer that says "not now": 20 to 50 ms. */
const RETRY_MIN_MS = 20;
const RETRY_SPREAD_MS = 30;

/**
 * Sends commands: gathers those of one turn of the event loop, cuts them into calls, and answers
 * each caller once, by its own deadline whatever the client does.
 */
export class Dispatcher {
  readonly #ports: DispatcherPorts;
  readonly #limits: DispatcherLimits;
  readonly #deadlines: Deadlines<Pending>;
  readonly #gathering: Gathering;
  /** Commands whose callers wait, sent or not. */
  #inFlight = 0;
  /** Calls under way. */
  #calls = 0;
  /** Commands that wait for another try. */
  readonly #paused = new Set<Pending>();
  #isClosed = false;
  /** One for all commands. */
  readonly #onAnswered = (): void => {
    this.#inFlight -= 1;
  };

  constructor(ports: DispatcherPorts, limits: DispatcherLimits) {
    this.#ports = ports;
    this.#limits = limits;
    const { clock, afterIo } = ports;
    this.#deadlines = new Deadlines(clock, afterIo, (expired) => this.#expire(expired));
    this.#gathering = new Gathering(
      afterIo,
      () => this.#calls === 0,
      (operation, waiting) => this.#sendAll(operation, waiting),
    );
  }

  /**
   * Resolves to the reply.
   *
   * @throws StoreError and only that, by rejecting.
   */
  send<C extends Sendable, R>(
    operation: Operation<C, R>,
    command: C,
    { slot, expiresAtMs = this.#expiryMs(), onLateReply }: SendOptions<C, R>,
  ): Promise<R> {
    const refusal = this.#refusal(operation.name, command, slot);
    if (refusal !== undefined) return Promise.reject(refusal);
    const question = { operation, command, slot, expiresAtMs, onLateReply };
    const pending = new Pending(question, this.#onAnswered);
    this.#inFlight += 1;
    // Each goes back to its own operation only, so that the types of others do not matter.
    this.#deadlines.add(pending as unknown as Pending);
    this.#gathering.add(pending as unknown as Pending);
    return pending.reply;
  }

  /**
   * Nothing is sent any more, and whoever waits for that is refused at once. Calls under way are
   * still answered, at the latest by their deadline.
   */
  close(): void {
    this.#isClosed = true;
    for (const pending of [...this.#gathering.takeAll(), ...this.#paused]) {
      pending.fail(closedError(pending.operation.name));
    }
    this.#paused.clear();
  }

  #expiryMs(): Milliseconds {
    return this.#ports.clock.nowMs() + this.#limits.timeoutMs;
  }

  #refusal(operation: string, command: Sendable, slot: number): StoreError | undefined {
    if (this.#isClosed) return closedError(operation);
    const { maxInFlight } = this.#limits;
    if (this.#inFlight >= maxInFlight) return tooManyError(operation, maxInFlight);
    const { executor, nodes, texts } = this.#ports;
    const node = executor.nodeOf(slot);
    const pass = nodes.of(node).breaker.tryPass();
    if (pass === "pass") return undefined;
    if (pass === "probe") {
      // From here on the node waits for this probe, whatever was asked.
      nodes.probe(node, texts.chain(command.targets[0] ?? NO_DESCRIPTOR), executor);
    }
    return breakerOpenError(operation, node);
  }

  #sendAll(operation: Operation<never, unknown>, waiting: readonly Pending[]): void {
    const { executor } = this.#ports;
    if (!executor.isCluster) {
      for (const chunk of chunksOf(waiting)) this.#call(operation, chunk);
      return;
    }
    for (const ofOneSlot of bySlot(waiting)) {
      for (const chunk of chunksOf(ofOneSlot)) this.#call(operation, chunk);
    }
  }

  #call(operation: Operation<never, unknown>, chunk: readonly Pending[]): void {
    const { executor, nodes, texts, clock } = this.#ports;
    const node = executor.nodeOf((chunk[0] as Pending).slot);
    const health = nodes.of(node);
    const writer = new CallWriter(texts);
    const nowMs = clock.nowMs();
    // An estimate made once serves all; each command has what is left of its own time.
    const serverNowMs = health.serverClock.deadlineFor(0);
    for (const pending of chunk) {
      const isDated = serverNowMs > 0 && pending.hasDeadline;
      const deadlineMs = isDated ? serverNowMs + pending.expiresAtMs - nowMs : 0;
      operation.write(writer, pending.command, deadlineMs);
    }
    const call = new SentCall(chunk, node, health.sent("pass"));
    for (const pending of chunk) pending.sentIn(call);
    this.#calls += 1;
    executor.run({ script: operation.script, keys: writer.keys, argument: writer.argument }).then(
      (reply) => this.#receive(operation, call, reply),
      (failure: CallFailure) => this.#fail(call, failure),
    );
  }

  #receive(operation: Operation<never, unknown>, call: SentCall, reply: unknown): void {
    const { nodes, clock } = this.#ports;
    this.#calls -= 1;
    nodes.answered(call.node, call.onNode);
    const { serverClock } = nodes.of(call.node);
    try {
      const reader = new ReplyReader(reply);
      serverClock.observe(call.onNode.sentMs, clock.nowMs(), reader.serverNowMs);
      for (const pending of call.chunk) {
        const answer = operation.read(reader, pending.command);
        if (answer === LATE) this.#askAgain(pending, serverClock);
        else pending.answer(answer);
      }
    } catch (cause) {
      const failure = new CallFailure({ code: "SLUICE_STORE_PROTOCOL", cause });
      for (const pending of call.chunk) pending.fail(failureError(operation.name, failure));
    }
  }

  /**
   * LATE for a caller who still waits. Before its deadline the estimate of the server's clock was
   * wrong; after it the loop stood still, which is no reason to refuse it either.
   */
  #askAgain(pending: Pending, serverClock: ServerClock): void {
    if (pending.isAnswered) return;
    if (this.#ports.clock.nowMs() < pending.expiresAtMs) serverClock.dropped();
    pending.hasDeadline = false;
    this.#gather(pending);
  }

  /** Again, if it still has a caller. */
  #gather(pending: Pending): void {
    if (pending.isAnswered) return;
    if (this.#isClosed) pending.fail(closedError(pending.operation.name));
    else this.#gathering.add(pending);
  }

  #fail({ node, onNode, chunk }: SentCall, failure: CallFailure): void {
    const { clock, random, nodes, executor } = this.#ports;
    this.#calls -= 1;
    // Whoever refuses is there.
    if (failure.code === "SLUICE_STORE_UNREACHABLE") nodes.failed(node, onNode, executor);
    else nodes.answered(node, onNode);
    const pauseMs = RETRY_MIN_MS + Math.floor(RETRY_SPREAD_MS * random.next());
    const again: Pending[] = [];
    for (const pending of chunk) {
      const isWorthIt = failure.isTransient && clock.nowMs() + pauseMs < pending.expiresAtMs;
      if (isWorthIt && !pending.isAnswered) again.push(pending);
      else pending.fail(failureError(pending.operation.name, failure));
    }
    if (again.length > 0) this.#gatherLater(again, pauseMs);
  }

  #gatherLater(again: readonly Pending[], pauseMs: Milliseconds): void {
    for (const pending of again) this.#paused.add(pending);
    this.#ports.clock.after(pauseMs, () => {
      for (const pending of again) {
        this.#paused.delete(pending);
        this.#gather(pending);
      }
    });
  }

  #expire(expired: readonly Pending[]): void {
    const { timeoutMs } = this.#limits;
    const { nodes, executor } = this.#ports;
    for (const pending of expired) {
      const { call } = pending;
      if (call !== undefined) nodes.timedOut(call.node, call.onNode, executor);
      pending.fail(timeoutError(pending.operation.name, timeoutMs));
    }
  }
}

/** On a cluster the keys of one call lie in one hash slot. */
function bySlot(waiting: readonly Pending[]): Iterable<readonly Pending[]> {
  const slots = new Map<number, Pending[]>();
  for (const pending of waiting) {
    const others = slots.get(pending.slot);
    if (others === undefined) slots.set(pending.slot, [pending]);
    else others.push(pending);
  }
  return slots.values();
}
