import {
  type AdmitCommand,
  type AdmitReply,
  type SettleCommand,
  type Store,
  StoreError,
} from "@sluice/core";
import { chargeName } from "../../../src/engine/operation-records";
import type { CheckLimit } from "../../../src/limit/limit";
import type { CheckFacts, HistoryRecord, LimitFacts } from "../checker/history";

/** Writes down what is asked of a store, one operation after the other, and what it answers. */
export class RecordingStore implements Store {
  readonly history: HistoryRecord[] = [];
  readonly #store: Store;
  #id = "";
  #isRetry = false;
  /** Whose each command is that may be sent again later, when other things are asked. */
  readonly #owners = new Map<SettleCommand | string, string>();
  readonly #unsent = new Set<SettleCommand | string>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Whether nothing is left that surely did not execute and is going to be sent again. */
  get isQuiet(): boolean {
    return this.#unsent.size === 0;
  }

  /** What is asked from now on belongs to this operation. */
  begin(id: string, isRetry = false): void {
    this.#id = id;
    this.#isRetry = isRetry;
  }

  admit: Store["admit"] = async (command) => {
    const [id, isRetry] = [this.#id, this.#isRetry];
    const invokedMs = Date.now();
    this.#owners.set(command.operationId, id);
    const write = (outcome: "admitted" | "refused" | "info", reply?: AdmitReply) => {
      const checks = checksOf(command, reply);
      const record = { type: "admit", id, outcome, invokedMs, returnedMs: Date.now() } as const;
      this.history.push({ ...record, checks, ...(isRetry ? { isRetry } : {}) });
    };
    try {
      const reply = await this.#store.admit(command);
      write(reply.admitted ? "admitted" : "refused", reply);
      return reply;
    } catch (error) {
      // What surely did not execute did not happen.
      if (!isNothing(error)) write("info");
      throw error;
    }
  };

  settle: Store["settle"] = (command) =>
    this.#record(
      command,
      () => this.#store.settle(command),
      (span) => [
        { ...span, type: "correct", changes: changesOf(command) },
        { ...span, type: "free", slots: slotsOf(command) },
      ],
    );

  release: Store["release"] = (command) =>
    this.#record(
      command.operationId,
      () => this.#store.release(command),
      (span) => {
        const slots = command.targets.flatMap(({ kind, id, limits }) =>
          limits.map(({ name }) => ({ key: `${kind}:${id}`, limit: name })),
        );
        return [{ ...span, type: "free", slots }];
      },
    );

  peek: Store["peek"] = (command) => this.#store.peek(command);
  renew: Store["renew"] = (command) => this.#store.renew(command);
  undo: Store["undo"] = (command) => this.#store.undo(command);
  reset: Store["reset"] = (command) => this.#store.reset(command);
  close: Store["close"] = () => this.#store.close();

  async #record<R>(
    command: SettleCommand | string,
    call: () => Promise<R>,
    recordsOf: (span: {
      readonly id: string;
      readonly outcome: "ok" | "info";
      readonly invokedMs: number;
      readonly returnedMs: number;
    }) => readonly HistoryRecord[],
  ): Promise<R> {
    const id = this.#owners.get(command) ?? this.#id;
    this.#owners.set(command, id);
    const invokedMs = Date.now();
    const write = (outcome: "ok" | "info") => {
      this.#unsent.delete(command);
      this.history.push(...recordsOf({ id, outcome, invokedMs, returnedMs: Date.now() }));
    };
    try {
      const reply = await call();
      write("ok");
      return reply;
    } catch (error) {
      if (isNothing(error)) this.#unsent.add(command);
      else write("info");
      throw error;
    }
  }
}

function isNothing(error: unknown): boolean {
  return error instanceof StoreError && error.isRetryable;
}

function checksOf({ targets, cost }: AdmitCommand, reply?: AdmitReply): readonly CheckFacts[] {
  const all = targets.flatMap(({ kind, id, limits }) =>
    limits.map((limit) => ({ key: `${kind}:${id}`, limit })),
  );
  return all.map(({ key, limit }, place) => {
    const { used = 0, resetAfterMs = 0, chargedAt } = reply?.checks[place] ?? {};
    const units = limit.kind === "concurrency" ? 1 : (cost[limit.unit] ?? 0);
    const facts = factsOf(limit);
    const check = { key, limit: chargeName(limit), facts, cost: units, used, resetAfterMs };
    return chargedAt === undefined ? check : { ...check, chargedAt };
  });
}

function factsOf(limit: CheckLimit): LimitFacts {
  const { kind, max } = limit;
  switch (kind) {
    case "concurrency":
      return { kind, max };
    case "fixed-window":
    case "sliding-log":
      return { kind, max, windowMs: limit.windowMs };
    // Whoever asks, no more than the capacity.
    case "pool-unit":
      return { kind: "fixed-window", max, windowMs: limit.windowMs };
    case "sliding-window":
      return { kind, max, buckets: limit.buckets };
    case "token-bucket":
      return { kind, max, refill: limit.refill, perMs: limit.perMs };
  }
}

function changesOf({ targets }: SettleCommand) {
  return targets.flatMap(({ kind, id, corrections }) =>
    corrections.flatMap(({ limit, charged, actual, chargedAt }) =>
      limit.kind === "concurrency"
        ? []
        : [
            {
              key: `${kind}:${id}`,
              limit: chargeName(limit),
              // Of a limit that was not charged, everything is more than was charged.
              by: actual - (chargedAt === undefined ? 0 : charged),
              isCharged: chargedAt !== undefined,
            },
          ],
    ),
  );
}

function slotsOf({ targets }: SettleCommand) {
  return targets.flatMap(({ kind, id, corrections }) =>
    corrections
      .filter(({ limit }) => limit.kind === "concurrency")
      .map(({ limit }) => ({ key: `${kind}:${id}`, limit: limit.name })),
  );
}
