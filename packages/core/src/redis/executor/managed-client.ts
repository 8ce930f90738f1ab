import type { CancelTimer } from "../../clock/clock";
import type { Milliseconds } from "../../limit/limit";
import { notSentFailure } from "./classify";
import type { RedisClient } from "./client";
import type { ClientExecutor } from "./client-executor";
import type { Executor, ScriptCall } from "./executor";
import { executorOn } from "./executor-on";
import type { ManagedClientOptions } from "./managed-client-options";
import { buildReplacement, dropClient, dropExecutor, wait } from "./replacement";

/** The pause after a `connect` that failed; it doubles from there. */
const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 5000;
/** The part of that pause which chance decides. */
const RETRY_JITTER = 0.25;

const REPLACE_PAUSE_MS = 500;

/** How long calls on a client that was replaced, or is closed, may still be answered. */
const RETIRE_AFTER_MS = 1000;

/**
 * The executor of a store: the client that `connect` returns, and its successors. Making one cannot
 * fail: until there is a client, calls fail at once as not sent.
 *
 * A client of node-redis is replaced when trouble is reported, because it does not recover from
 * every outage by itself: `connect` is called every 500 ms until a client is ready within a second,
 * which then takes the place of the old one. A client of ioredis is replaced only when it has
 * ended.
 */
export class ManagedClient implements Executor {
  readonly #options: ManagedClientOptions;
  readonly #retired = new Set<ClientExecutor>();
  #current: ClientExecutor | undefined;
  #cancelRetry: CancelTimer | undefined;
  #isReplacing = false;
  #closing: Promise<void> | undefined;

  constructor(options: ManagedClientOptions) {
    this.#options = options;
    this.#begin(RETRY_FIRST_MS);
  }

  /** True while there is no client: what is right on a cluster is right everywhere. */
  get isCluster(): boolean {
    return this.#current?.isCluster ?? true;
  }

  nodeOf(slot: number): string {
    return this.#current?.nodeOf(slot) ?? "unknown";
  }

  run(call: ScriptCall): Promise<unknown> {
    const current = this.#current;
    if (current === undefined) return Promise.reject(notSentFailure("There is no client yet"));
    if (current.isOver()) this.#replace();
    return current.run(call);
  }

  reportTrouble(): void {
    if (this.#current?.mayNeedReplacement() !== false) this.#replace();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#cancelRetry?.();
    for (const retired of this.#retired) retired.destroy();
    this.#retired.clear();
    const current = this.#current;
    if (current === undefined) return;
    if (this.#options.closesClient) {
      // A server that does not answer must not hold the caller up.
      await Promise.race([current.close(), wait(this.#options.clock, RETIRE_AFTER_MS)]);
    }
    dropExecutor(current, this.#options);
  }

  /** Takes the first client as it is, connected or not: each call sees whether it is. */
  #begin(pauseMs: Milliseconds): void {
    const retry = (error: unknown) => {
      this.#options.onError(error);
      if (this.#closing === undefined && this.#current === undefined) this.#beginLater(pauseMs);
    };
    try {
      const client = this.#options.connect();
      if (isPromise(client)) client.then((each) => this.#takeFirst(each)).catch(retry);
      else this.#takeFirst(client);
    } catch (error) {
      retry(error);
    }
  }

  #beginLater(pauseMs: Milliseconds): void {
    const { clock, random } = this.#options;
    this.#cancelRetry = clock.after(pauseMs * (1 - RETRY_JITTER * random.next()), () => {
      if (this.#current === undefined) this.#begin(Math.min(pauseMs * 2, RETRY_MAX_MS));
    });
  }

  #takeFirst(client: RedisClient): void {
    if (client === this.#current?.client) return;
    if (this.#closing !== undefined || this.#current !== undefined) {
      dropClient(client, this.#options);
      return;
    }
    this.#current = executorOn(client, this.#options);
    this.#current.open();
  }

  #replace(): void {
    if (this.#isReplacing || this.#closing !== undefined) return;
    this.#isReplacing = true;
    void this.#replaceUntilReady();
  }

  async #replaceUntilReady(): Promise<void> {
    let isDone = false;
    while (!isDone && this.#closing === undefined) {
      const next = await buildReplacement(this.#options, this.#current);
      isDone = next !== undefined;
      if (next === undefined || next === this.#current) {
        // The same client again: all that can be done is to connect it, if it has given up.
        next?.open();
        await wait(this.#options.clock, REPLACE_PAUSE_MS);
      } else if (this.#closing === undefined) {
        this.#swapIn(next);
      } else {
        dropExecutor(next, this.#options);
      }
    }
    this.#isReplacing = false;
  }

  #swapIn(next: ClientExecutor): void {
    const old = this.#current;
    this.#current = next;
    if (old !== undefined) this.#retire(old);
    for (const node of next.readyNodes()) this.#options.onReady(node);
  }

  #retire(old: ClientExecutor): void {
    old.mute();
    if (!this.#options.closesClient) return;
    this.#retired.add(old);
    this.#options.clock.after(RETIRE_AFTER_MS, () => {
      this.#retired.delete(old);
      old.destroy();
    });
  }
}

function isPromise(value: RedisClient | Promise<RedisClient>): value is Promise<RedisClient> {
  return typeof (value as { readonly then?: unknown } | undefined)?.then === "function";
}
