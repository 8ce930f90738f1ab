import { systemClock, systemRandom } from "@sluice/core";
import { pollUntil } from "../../../../../tools/redis/poll-until";
import { CallFailure } from "../../../src/redis/executor/call-failure";
import type { RedisClient } from "../../../src/redis/executor/client";
import type { ScriptCall } from "../../../src/redis/executor/executor";
import { ManagedClient } from "../../../src/redis/executor/managed-client";
import { addOne } from "./scripts";

export interface Stage {
  readonly executor: ManagedClient;
  readonly errors: readonly unknown[];
  /** The nodes to which a connection was reported, in that order. */
  readonly ready: readonly string[];
  /** Every client that `connect` returned. */
  readonly clients: readonly RedisClient[];
}

const stages: Stage[] = [];

/** The executor of a store, on clients that `make` makes. */
export function setStage(make: () => RedisClient | Promise<RedisClient>): Stage {
  const errors: unknown[] = [];
  const ready: string[] = [];
  const clients: RedisClient[] = [];
  const executor = new ManagedClient({
    connect: async () => {
      const client = await make();
      clients.push(client);
      return client;
    },
    closesClient: true,
    clock: systemClock(),
    random: systemRandom(),
    onError: (error) => errors.push(error),
    onReady: (node) => ready.push(node),
  });
  const stage = { executor, errors, ready, clients };
  stages.push(stage);
  return stage;
}

/** For `afterEach`: closes what the test has opened. */
export async function clearStages(): Promise<void> {
  await Promise.all(stages.splice(0).map(({ executor }) => executor.close()));
}

/** Waits until a call for the key succeeds, which it charges. */
export async function whenConnected({ executor }: Stage, key: string): Promise<void> {
  const isThere = async () => (await executor.run(addOne(key))) !== "";
  await pollUntil(isThere, { what: `a call for ${key} succeeds` });
}

/** For the pace of calls, never to wait for something to happen. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    systemClock().after(ms, resolve, { keepsProcessAlive: true });
  });
}

/** How a call ended that nobody waits longer for than this; a store does the same. */
export type Outcome = string | CallFailure | "no reply";

export async function outcomeOf(
  { executor }: Stage,
  call: ScriptCall,
  waitMs = 150,
): Promise<Outcome> {
  const reply = executor.run(call).then(String, (failure: unknown) => {
    if (failure instanceof CallFailure) return failure;
    throw new Error("expected a CallFailure", { cause: failure });
  });
  return Promise.race([reply, pause(waitMs).then(() => "no reply" as const)]);
}

/** The failure of a call that has to fail. */
export async function failureOf(stage: Stage, call: ScriptCall): Promise<CallFailure> {
  const outcome = await outcomeOf(stage, call, 5_000);
  if (outcome instanceof CallFailure) return outcome;
  throw new Error(`expected the call to fail, received ${outcome}`);
}
