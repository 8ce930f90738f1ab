import type { Clock } from "../../clock/clock";
import { systemClock } from "../../clock/system-clock";
import { admit } from "../../engine/admit";
import { chainExpiresAtMs } from "../../engine/chain";
import type {
  AdmitCommand,
  DescriptorKey,
  PeekCommand,
  ReleaseCommand,
  RenewCommand,
  ResetCommand,
  SettleCommand,
  UndoCommand,
} from "../../engine/command";
import { peek } from "../../engine/peek";
import { release } from "../../engine/release";
import { renew } from "../../engine/renew";
import type { AdmitReply, DoneReply, PeekReply, RenewReply, UndoReply } from "../../engine/reply";
import { reset } from "../../engine/reset";
import { settle } from "../../engine/settle";
import type { DescriptorState } from "../../engine/state";
import type { Transition } from "../../engine/transition";
import { undo } from "../../engine/undo";
import { StoreError } from "../../error/store-error";
import { type Recorder, record } from "../../event/recorder";
import { Problems } from "../../options/problems";
import { OptionsReader } from "../../options/read";
import type { Random } from "../../random/random";
import { systemRandom } from "../../random/system-random";
import type { Store } from "../store";
import { MemoryEntries } from "./memory-entries";
import { Sweeper } from "./sweeper";
import { holdsLeases } from "./usage-share";

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /** @defaultValue the system clock */
  readonly clock?: Clock;
  /** @defaultValue the system's randomness */
  readonly random?: Random;
  /**
   * How many keys are kept at most: an integer of 1 or more. When full, expired entries go first,
   * then the least used of a sample of 16; entries with live leases never. More costs memory (about
   * 110 bytes per key with one fixed window, the key's text not counted).
   *
   * @defaultValue 1 000 000
   */
  readonly maxKeys?: number;
  /** Receives `key_evicted`. */
  readonly recorder?: Recorder;
}

/** A store in the memory of this process. */
export interface MemoryStore extends Store {
  /** Keys kept now, expired ones that were not swept yet included. */
  readonly size: number;
}

/**
 * A store that keeps everything in this process: exact, and private to it. Several processes with
 * one of these each admit several times as much together.
 *
 * @throws InvalidOptionsError listing every bad option.
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const problems = new Problems("memoryStore options");
  const read = new OptionsReader(options, ["clock", "random", "maxKeys", "recorder"], problems);
  const clock = read.optionalPort<Clock>("clock", ["nowMs", "after"]);
  const random = read.optionalPort<Random>("random", ["next", "id"]);
  const recorder = read.optionalPort<Recorder>("recorder", ["record"]);
  const maxKeys = read.integer("maxKeys", { min: 1, fallback: 1_000_000 });
  problems.throwIfAny();
  return new InProcessStore(clock ?? systemClock(), random ?? systemRandom(), maxKeys, recorder);
}

class InProcessStore implements MemoryStore {
  readonly #clock: Clock;
  readonly #entries: MemoryEntries;
  readonly #sweeper: Sweeper;
  #isClosed = false;

  constructor(clock: Clock, random: Random, maxKeys: number, recorder: Recorder | undefined) {
    this.#clock = clock;
    const seed = Math.floor(random.next() * 2 ** 32) | 0;
    this.#entries = new MemoryEntries(maxKeys, seed, ({ kind, id }) =>
      record(recorder, { type: "key_evicted", key: `${kind}:${id}` }),
    );
    this.#sweeper = new Sweeper(this.#entries, clock);
  }

  get size(): number {
    return this.#entries.size;
  }

  async admit(command: AdmitCommand): Promise<AdmitReply> {
    return this.admitNow(command);
  }

  admitNow(command: AdmitCommand): AdmitReply {
    if (this.#isClosed) throw closedError(command.type);
    return this.#execute(command, admit);
  }

  async peek(command: PeekCommand): Promise<PeekReply> {
    return this.#execute(command, peek);
  }

  async settle(command: SettleCommand): Promise<DoneReply> {
    return this.#execute(command, settle);
  }

  async release(command: ReleaseCommand): Promise<DoneReply> {
    return this.#execute(command, release);
  }

  async renew(command: RenewCommand): Promise<RenewReply> {
    return this.#execute(command, renew);
  }

  async undo(command: UndoCommand): Promise<UndoReply> {
    return this.#execute(command, undo);
  }

  async reset(command: ResetCommand): Promise<DoneReply> {
    return this.#execute(command, reset);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sweeper.stop();
    this.#entries.clear();
  }

  /** Runs a transition on the states of its targets and keeps what it made of them. */
  #execute<C extends AnyCommand, R>(
    command: C,
    transition: (
      states: DescriptorState[],
      command: C,
      nowMs: number,
      isInPlace: boolean,
    ) => Transition<R>,
  ): R {
    const nowMs = this.#clock.nowMs();
    const { targets } = command;
    const before = new Array<DescriptorState>(targets.length);
    // Nothing may be written before there is room for all of it; and an entry with leases may have
    // to move to the others when its chain changes, which in place could not be seen.
    let areAllThere = true;
    let isInPlace = true;
    for (let index = 0; index < targets.length; index += 1) {
      const { kind, id } = targets[index] as DescriptorKey;
      const state = this.#entries.get(kind, id);
      before[index] = state;
      if (state === null) areAllThere = false;
      if (state === null || holdsLeases(state)) isInPlace = false;
    }
    const { states, reply } = transition(before, command, nowMs, isInPlace);
    if (!areAllThere) this.#makeRoom(command, before, states, nowMs);
    for (let index = 0; index < targets.length; index += 1) {
      const was = before[index] as DescriptorState;
      const after = states[index] as DescriptorState;
      if (after === was) continue;
      const { kind, id } = targets[index] as DescriptorKey;
      this.#entries.put(kind, id, was, after);
      // Also for an entry that was there before: a round under way misses it if it moves between
      // those with and without leases.
      if (after !== null && !this.#isClosed) {
        this.#sweeper.expectAt(chainExpiresAtMs(after), nowMs);
      }
    }
    return reply;
  }

  #makeRoom(
    command: AnyCommand,
    before: readonly DescriptorState[],
    after: readonly DescriptorState[],
    nowMs: number,
  ): void {
    let fresh = 0;
    for (let index = 0; index < after.length; index += 1) {
      if (before[index] === null && after[index] !== null) fresh += 1;
    }
    if (fresh === 0 || this.#entries.makeRoom(fresh, command.targets, nowMs)) return;
    throw fullError(command.type);
  }
}

interface AnyCommand {
  readonly type: string;
  readonly targets: readonly DescriptorKey[];
}

function fullError(operation: string): StoreError {
  return new StoreError("The memory store is full of keys that hold live leases (see maxKeys).", {
    code: "SLUICE_STORE_FULL",
    operation,
    isRetryable: true,
  });
}

function closedError(operation: string): StoreError {
  return new StoreError("The memory store was closed.", {
    code: "SLUICE_STORE_CLOSED",
    operation,
    isRetryable: false,
  });
}
