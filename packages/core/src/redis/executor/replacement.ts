import type { Clock } from "../../clock/clock";
import type { Milliseconds } from "../../limit/limit";
import type { RedisClient } from "./client";
import type { ClientExecutor } from "./client-executor";
import { executorOn } from "./executor-on";
import type { ManagedClientOptions } from "./managed-client-options";

/**
 * How long a client that is to replace another one may take until it can send. Its own time-outs do
 * not help: to a process that is stopped, a connection is made at once.
 */
const READY_WITHIN_MS = 1000;
const READY_POLL_MS = 10;

/**
 * Calls `connect` and waits until its client is ready. Resolves to that client, to `current` if
 * `connect` returned the same client once more, or to undefined if it failed or took more than a
 * second; what was built until then, or comes later, is dropped. Never rejects.
 */
export async function buildReplacement(
  options: ManagedClientOptions,
  current: ClientExecutor | undefined,
): Promise<ClientExecutor | undefined> {
  const { clock } = options;
  const overAtMs = clock.nowMs() + READY_WITHIN_MS;
  const client = await clientWithin(options, READY_WITHIN_MS, current);
  if (client === undefined) return undefined;
  if (client === current?.client) return current;
  try {
    const executor = executorOn(client, options);
    executor.open();
    while (!executor.isReady() && clock.nowMs() < overAtMs) await wait(clock, READY_POLL_MS);
    if (executor.isReady()) return executor;
    dropExecutor(executor, options);
  } catch (error) {
    options.onError(error);
  }
  return undefined;
}

/** Closes a client that nobody will use, if it is the store's to close. Never throws. */
export function dropExecutor(executor: ClientExecutor, options: ManagedClientOptions): void {
  if (options.closesClient) executor.destroy();
  else executor.mute();
}

export function wait(clock: Clock, ms: Milliseconds): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

function clientWithin(
  options: ManagedClientOptions,
  ms: Milliseconds,
  current: ClientExecutor | undefined,
): Promise<RedisClient | undefined> {
  return new Promise((resolve) => {
    let isOver = false;
    const cancel = options.clock.after(ms, () => {
      isOver = true;
      resolve(undefined);
    });
    connected(options).then(
      (client) => {
        cancel();
        resolve(client);
        if (isOver && client !== current?.client) dropClient(client, options);
      },
      (error: unknown) => {
        cancel();
        options.onError(error);
        resolve(undefined);
      },
    );
  });
}

async function connected({ connect }: ManagedClientOptions): Promise<RedisClient> {
  return connect();
}

/** Closes a client that came too late. Never throws. */
export function dropClient(client: RedisClient, options: ManagedClientOptions): void {
  try {
    dropExecutor(executorOn(client, options), options);
  } catch (error) {
    options.onError(error);
  }
}
