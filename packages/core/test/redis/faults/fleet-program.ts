// One process of a fleet, driven by messages of fleet-process.ts. It ends when it has closed what
// it opened and was told to: nothing may keep it alive.

import { Cluster, Redis } from "ioredis";
import { createClient, createCluster } from "redis";
import { systemClock } from "../../../src/clock/system-clock";
import { concurrency } from "../../../src/limit/concurrency";
import { fixedWindow } from "../../../src/limit/fixed-window";
import { createLimiter } from "../../../src/limiter/create-limiter";
import type { LimiterPermit } from "../../../src/limiter/permit";
import type { Question } from "../../../src/limiter/question";
import type { RedisClient } from "../../../src/redis/executor/client";
import { redisStore } from "../../../src/redis/redis-store";
import type { FleetAsk, FleetStart, FleetTally } from "./fleet-messages";

const host = "127.0.0.1";

function clientOf({ library, ports }: FleetStart): RedisClient {
  const [port = 0] = ports;
  const rootNodes = ports.map((each) => ({ socket: { host, port: each } }));
  if (library === "ioredis") {
    const options = { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 1_000 };
    if (ports.length === 1) return new Redis(port, host, { ...options, socketTimeout: 1_000 });
    const nodes = ports.map((each) => ({ host, port: each }));
    return new Cluster(nodes, { enableOfflineQueue: false, retryDelayOnFailover: 0 });
  }
  if (ports.length > 1) return createCluster({ rootNodes });
  return createClient({ disableOfflineQueue: true, socket: { host, port } });
}

const start = JSON.parse(process.argv[2] ?? "{}") as FleetStart;
const { prefix, policy, instances } = start;
const store = redisStore({ connect: () => clientOf(start), prefix, instances });
const limiter = createLimiter({ store, onStoreUnavailable: policy });
const clock = systemClock();

const held: LimiterPermit[] = [];
const tally: FleetTally = { asked: 0, bySource: {}, byWindowEnd: {}, fromStoreMs: [] };
let timer: NodeJS.Timeout | undefined;

function questionOf({ descriptors }: FleetAsk): Question {
  return {
    descriptors: descriptors.map(({ id, window, slots }) => ({
      kind: "fleet",
      id,
      limits: [
        ...(window === undefined ? [] : [fixedWindow({ ...window, anchor: "epoch" })]),
        ...(slots === undefined ? [] : [concurrency(slots)]),
      ],
    })),
  };
}

async function ask(question: Question): Promise<void> {
  tally.asked += 1;
  const verdict = await limiter.admit(question);
  const [status] = verdict.statuses;
  const source = status?.source ?? "policy";
  if (source === "store") tally.fromStoreMs.push(clock.nowMs());
  if (!verdict.admitted) return;
  tally.bySource[source] = (tally.bySource[source] ?? 0) + 1;
  const windowMs = question.descriptors[0]?.limits[0];
  if (status !== undefined && windowMs?.kind === "fixed-window") {
    const ends = Math.round((clock.nowMs() + status.resetAfterMs) / windowMs.windowMs);
    tally.byWindowEnd[ends] = (tally.byWindowEnd[ends] ?? 0) + 1;
  }
  if (status?.unit === "slots") held.push(verdict.permit);
}

/** Until the store itself answers, since a client may still be connecting. */
async function takeSlots(question: Question, count: number): Promise<void> {
  while (held.length < count) {
    await ask(question);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const handlers: Readonly<Record<FleetAsk["type"], (message: FleetAsk) => Promise<unknown>>> = {
  traffic: async (message) => {
    const question = questionOf(message);
    timer = setInterval(() => void ask(question), message.everyMs);
  },
  // As fast as answers come: a process that is killed is nearly always between two calls.
  busy: async (message) => {
    const question = questionOf(message);
    // While the store is away answers come without any I/O, and must leave room for some.
    const again = (): void => void ask(question).then(() => setImmediate(again));
    for (let lane = 0; lane < 4; lane += 1) again();
  },
  slots: (message) => takeSlots(questionOf(message), message.count ?? 0),
  release: () => Promise.all(held.splice(0).map((permit) => permit.release())),
  tally: async () => undefined,
  stop: async () => clearInterval(timer),
  close: async () => {
    clearInterval(timer);
    await limiter.close();
    await store.close();
  },
};

// However the test ends, this ends with it.
const onLost = () => process.exit(1);
process.on("disconnect", onLost);

process.on("message", (message: FleetAsk) => {
  void handlers[message.type](message).then(() => {
    process.send?.({ ...tally, held: held.length }, () => {
      if (message.type !== "close") return;
      process.off("disconnect", onLost);
      process.disconnect();
    });
  });
});
