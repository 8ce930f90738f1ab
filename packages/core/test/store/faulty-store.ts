import { type Store, StoreError, type StoreErrorCode } from "@sluice/core";

type Operation = Exclude<keyof Store, "admitNow" | "close" | "instances">;

const OPERATIONS = ["admit", "peek", "settle", "release", "renew", "undo", "reset"] as const;

/** A command as it arrived, of the given operation. */
type CommandOf<O extends Operation> = Parameters<Store[O]>[0];

/** How a call fails. */
export interface Fault {
  /** Whether the store executes the command and only its answer is lost. @defaultValue false */
  readonly isApplied?: boolean;
  /** What the error says about itself. @defaultValue the truth: true exactly if not applied */
  readonly isRetryable?: boolean;
  readonly code?: StoreErrorCode;
  /** Rejects with this instead of a StoreError. */
  readonly error?: unknown;
}

/**
 * A store that loses calls or answers on demand, forgets everything on demand, and remembers what
 * it was asked. `make` gives the store behind it, and gives another one when this one is to forget.
 */
export class FaultyStore implements Store {
  readonly instances: number;
  readonly #make: () => Store;
  #store: Store;
  readonly #faults = new Map<Operation, Fault[]>();
  readonly #reportFaults: Fault[] = [];
  readonly #standing = new Map<Operation, Fault>();
  readonly #held = new Map<Operation, Promise<void>>();
  readonly #delayed = new Map<Operation, Promise<void>>();
  readonly #calls: { readonly operation: Operation; readonly command: unknown }[] = [];

  constructor(make: () => Store, instances = 1) {
    this.instances = instances;
    this.#make = make;
    this.#store = make();
  }

  /** The next `times` calls of an operation fail. */
  failNext(operation: Operation, fault: Fault = {}, times = 1): void {
    const faults = this.#faults.get(operation) ?? [];
    this.#faults.set(operation, [...faults, ...new Array<Fault>(times).fill(fault)]);
  }

  /** The next report of what was admitted without this store fails. */
  failReports(fault: Fault): void {
    this.#reportFaults.push(fault);
  }

  /** All calls of an operation fail until `recover`. */
  failAlways(operation: Operation, fault: Fault = {}): void {
    this.#standing.set(operation, fault);
  }

  /** The store is away: all calls fail until `recover`. */
  goAway(fault: Fault = {}): void {
    for (const operation of OPERATIONS) this.failAlways(operation, fault);
  }

  recover(): void {
    this.#faults.clear();
    this.#reportFaults.length = 0;
    this.#standing.clear();
  }

  /** Executes calls of an operation at once, but answers when the returned function is called. */
  holdAnswers(operation: Operation): () => void {
    let release = () => {};
    this.#held.set(operation, new Promise((resolve) => (release = resolve)));
    return () => {
      this.#held.delete(operation);
      release();
    };
  }

  /** Executes calls of an operation no sooner than the returned function is called. */
  holdCalls(operation: Operation): () => void {
    let release = () => {};
    this.#delayed.set(operation, new Promise((resolve) => (release = resolve)));
    return () => {
      this.#delayed.delete(operation);
      release();
    };
  }

  /** Loses all state, as a store does that is emptied by its operator. */
  forget(): void {
    this.#store = this.#make();
  }

  /** The commands of an operation that have arrived, oldest first. */
  callsOf<O extends Operation>(operation: O): CommandOf<O>[] {
    return this.#calls
      .filter((call) => call.operation === operation)
      .map(({ command }) => command as CommandOf<O>);
  }

  admit: Store["admit"] = (command) => this.#run("admit", command);
  peek: Store["peek"] = (command) => this.#run("peek", command);
  settle: Store["settle"] = (command) => this.#run("settle", command);
  release: Store["release"] = (command) => this.#run("release", command);
  renew: Store["renew"] = (command) => this.#run("renew", command);
  undo: Store["undo"] = (command) => this.#run("undo", command);
  reset: Store["reset"] = (command) => this.#run("reset", command);

  close(): Promise<void> {
    return this.#store.close();
  }

  #faultOf(operation: Operation, command: object): Fault | undefined {
    const standing = this.#standing.get(operation);
    const isReport = "onceForMs" in command && standing === undefined;
    const ofReports = isReport ? this.#reportFaults.shift() : undefined;
    return ofReports ?? this.#faults.get(operation)?.shift() ?? standing;
  }

  async #run<O extends Operation>(operation: O, command: CommandOf<O>): Promise<never> {
    this.#calls.push({ operation, command });
    const fault = this.#faultOf(operation, command);
    const execute = this.#store[operation] as (command: CommandOf<O>) => Promise<never>;
    if (fault !== undefined && fault.isApplied !== true) throw errorOf(operation, fault);
    const delay = this.#delayed.get(operation);
    if (delay !== undefined) await delay;
    const reply = await execute.call(this.#store, command);
    await this.#held.get(operation);
    if (fault !== undefined) throw errorOf(operation, fault);
    return reply;
  }
}

function errorOf(operation: Operation, fault: Fault): unknown {
  if ("error" in fault) return fault.error;
  const { isApplied = false, isRetryable = !isApplied, code = "SLUICE_STORE_UNREACHABLE" } = fault;
  return new StoreError("The test made this call fail.", { code, operation, isRetryable });
}
