import { systemAfterIo } from "../clock/after-io";
import type {
  AdmitCommand,
  DescriptorKey,
  PeekCommand,
  ReleaseCommand,
  RenewCommand,
  ResetCommand,
  SettleCommand,
  UndoCommand,
} from "../engine/command";
import type { AdmitReply, DoneReply, PeekReply, RenewReply, UndoReply } from "../engine/reply";
import { record } from "../event/recorder";
import type { Store } from "../store/store";
import { allParts } from "./cluster/all-parts";
import { CrossSlotAdmit, checksInOrder } from "./cluster/cross-slot-admit";
import { inOrder, type Part, partsBySlot, perTarget } from "./cluster/parts-by-slot";
import { UndoRetries } from "./cluster/undo-retries";
import { Dispatcher } from "./dispatch/dispatcher";
import { refundOf } from "./dispatch/late-charge";
import type { Sendable } from "./dispatch/pending";
import { ManagedClient } from "./executor/managed-client";
import { KeyTexts } from "./key/key-texts";
import { Nodes, type StoreNode } from "./node/nodes";
import {
  parseRedisStoreOptions,
  type RedisStoreConfig,
  type RedisStoreOptions,
} from "./redis-store-options";
import { admitOperation } from "./wire/admit";
import type { Operation } from "./wire/operation";
import { peekOperation } from "./wire/peek";
import { releaseOperation } from "./wire/release";
import { renewOperation } from "./wire/renew";
import { resetOperation } from "./wire/reset";
import { settleOperation } from "./wire/settle";
import { undoOperation } from "./wire/undo";

/** A store on Redis: all processes that share the server share the limits. */
export interface RedisStore extends Store {
  readonly instances: number;
  /** The nodes that calls have gone to, and whether they are asked. A snapshot. */
  nodes(): readonly StoreNode[];
}

/**
 * Makes a store on Redis: one server, behind Sentinel, or a cluster. Does no I/O beyond calling
 * `connect`, and does not fail if there is no server: until one answers, commands fail and the
 * limiter's policy answers.
 *
 * @throws InvalidOptionsError listing every bad option.
 * @remarks One call of a script judges and charges a whole question in one atomic step, on the
 * server's clock; on a cluster that is so for descriptors of one hash tag. Which options make a
 * client safe: {@link checkClient}.
 */
export function redisStore(options: RedisStoreOptions): RedisStore {
  return new ScriptedStore(parseRedisStoreOptions(options));
}

type PartOf<C extends Sendable> = Part<C["targets"][number]>;

/** How long what a part of a question charged can be undone, beyond twice the time-out. */
const UNDO_MARGIN_MS = 5000;

const DONE: DoneReply = { done: true };

class ScriptedStore implements RedisStore {
  readonly instances: number;
  readonly #config: RedisStoreConfig;
  readonly #client: ManagedClient;
  readonly #nodes: Nodes;
  readonly #dispatcher: Dispatcher;
  readonly #texts: KeyTexts;
  readonly #crossSlot: CrossSlotAdmit;

  constructor(config: RedisStoreConfig) {
    this.#config = config;
    const { connect, closesClient, clock, random, recorder, prefix, hashTag, timeoutMs } = config;
    this.instances = config.instances;
    const nodes = new Nodes(clock, random, timeoutMs, (change, node) => {
      record(recorder, { type: change === "opened" ? "store_node_lost" : "store_node_back", node });
    });
    this.#nodes = nodes;
    this.#texts = new KeyTexts(prefix, hashTag);
    this.#client = new ManagedClient({
      connect,
      closesClient,
      clock,
      random,
      // What a call meets is reported with the call; between calls errors concern nobody.
      onError: () => undefined,
      onReady: (node) => nodes.reconnected(node),
    });
    const executor = this.#client;
    const ports = { executor, nodes, texts: this.#texts, clock, random, afterIo: systemAfterIo };
    this.#dispatcher = new Dispatcher(ports, config);
    const undos = new UndoRetries(clock, (command, slot) =>
      this.#dispatcher.send(undoOperation, command, { slot }),
    );
    const sender = {
      admit: (command: AdmitCommand, slot: number, expiresAtMs: number) =>
        this.#dispatcher.send(admitOperation, command, { slot, expiresAtMs }),
      peek: (command: PeekCommand, slot: number, expiresAtMs: number) =>
        this.#dispatcher.send(peekOperation, command, { slot, expiresAtMs }),
      undo: (command: UndoCommand, slot: number) => undos.undo(command, slot),
    };
    this.#crossSlot = new CrossSlotAdmit(random, sender, 2 * timeoutMs + UNDO_MARGIN_MS);
  }

  nodes(): readonly StoreNode[] {
    return this.#nodes.states();
  }

  admit(command: AdmitCommand): Promise<AdmitReply> {
    if (!this.#client.isCluster) return this.#admitAt(0, command);
    const parts = partsBySlot(command.targets, this.#texts);
    if (parts.length === 1) return this.#admitAt((parts[0] as Part<never>).slot, command);
    const { clock, timeoutMs } = this.#config;
    return this.#crossSlot.admit(command, parts, clock.nowMs() + timeoutMs);
  }

  async peek(command: PeekCommand): Promise<PeekReply> {
    const { parts, replies } = await this.#send(peekOperation, command);
    if (replies.length === 1) return replies[0] as PeekReply;
    return {
      admitted: replies.every(({ admitted }) => admitted),
      checks: checksInOrder(parts, replies),
    };
  }

  async settle(command: SettleCommand): Promise<DoneReply> {
    await this.#send(settleOperation, command);
    return DONE;
  }

  async release(command: ReleaseCommand): Promise<DoneReply> {
    await this.#send(releaseOperation, command);
    return DONE;
  }

  async renew(command: RenewCommand): Promise<RenewReply> {
    const { parts, replies } = await this.#send(renewOperation, command);
    const ofTargets = parts.map(({ targets: own }, index) =>
      perTarget(
        (replies[index] as RenewReply).leases,
        own.map(({ leases }) => leases.length),
      ),
    );
    return { leases: inOrder(parts, ofTargets).flat() };
  }

  async undo(command: UndoCommand): Promise<UndoReply> {
    const { parts, replies } = await this.#send(undoOperation, command);
    const undone = replies.map((reply) => reply.undone);
    return { undone: inOrder(parts, undone) };
  }

  async reset(command: ResetCommand): Promise<DoneReply> {
    await this.#send(resetOperation, command);
    return DONE;
  }

  async close(): Promise<void> {
    this.#dispatcher.close();
    await this.#client.close();
  }

  #admitAt(slot: number, command: AdmitCommand): Promise<AdmitReply> {
    const onLateReply = this.#takeBack;
    return this.#dispatcher.send(admitOperation, command, { slot, onLateReply });
  }

  /** Sends a command part by part; all parts go at once. */
  async #send<C extends Sendable, R>(
    operation: Operation<C, R>,
    command: C,
  ): Promise<{ readonly parts: readonly PartOf<C>[]; readonly replies: readonly R[] }> {
    const parts: readonly PartOf<C>[] = this.#partsOf(command.targets);
    const replies = await allParts(
      parts.map(({ slot, targets, places }) => {
        const part = parts.length === 1 ? command : { ...command, targets };
        return { places, answer: this.#dispatcher.send(operation, part, { slot }) };
      }),
    );
    return { parts, replies };
  }

  /** One server takes everything in one part, unless there is nothing to take. */
  #partsOf<T extends DescriptorKey>(targets: readonly T[]): readonly Part<T>[] {
    if (this.#client.isCluster || targets.length === 0) return partsBySlot(targets, this.#texts);
    return [{ slot: 0, targets, places: [...targets.keys()] }];
  }

  /** Refunds a charge whose caller was told that there was no answer; one function for all. */
  readonly #takeBack = (reply: AdmitReply, command: AdmitCommand): void => {
    const refund = refundOf(command, reply);
    // If this fails, the charge stands: a call whose reply is late may cost its own cost, once.
    if (refund !== undefined) this.settle(refund).catch(() => undefined);
  };
}
