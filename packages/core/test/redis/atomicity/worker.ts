import { createLimiter, fixedWindow } from "@sluice/core";
import { redisStore } from "@sluice/core/redis";
import { pollUntil } from "../../../../../tools/redis/poll-until";
import type { HistoryRecord } from "../checker/history";
import { pause } from "../executor/stage";
import { makePatientClient } from "../patient-clients";
import { whenAnswering } from "../when-answering";
import { MixedLane } from "./mixed-lane";
import type { Answer, Order, WorkerSettings } from "./orders";
import { RecordingStore } from "./recording-store";
import { burstQuestions } from "./subjects";

// A process of the atomicity tests: has a store of its own, and does what its parent asks.

const settings = JSON.parse(process.argv[2] as string) as WorkerSettings;
const { client, ports, prefix, seed } = settings;
const connect = () => makePatientClient(client, ports);
const store = redisStore({ connect, prefix, timeoutMs: 5_000 });
const limiter = createLimiter({ store, onStoreUnavailable: "reject" });

const answer = (message: Answer) => process.send?.(message);

async function burst({ about, questions }: Extract<Order, { do: "burst" }>): Promise<Answer> {
  const descriptors = burstQuestions[about];
  const verdicts = await Promise.all(
    Array.from({ length: questions }, () => limiter.admit({ descriptors })),
  );
  const admitted = verdicts.filter((verdict) => verdict.admitted).length;
  const unavailable = verdicts.filter(
    (verdict) => !verdict.admitted && verdict.rejection.reason === "store_unavailable",
  ).length;
  return { admitted, unavailable, refused: questions - admitted - unavailable };
}

function lanesOf(count: number): readonly MixedLane[] {
  return Array.from({ length: count }, (_, index) => {
    return new MixedLane(store, `${process.pid}-${index}`, seed * 1_000 + index);
  });
}

async function mix({ lanes: count, questions }: Extract<Order, { do: "mix" }>): Promise<Answer> {
  const lanes = lanesOf(count);
  await Promise.all(
    lanes.map(async (lane) => {
      for (let asked = 0; asked < questions; asked += 1) await lane.askOnce();
    }),
  );
  const isQuiet = () => lanes.every((lane) => lane.store.isQuiet);
  await pollUntil(isQuiet, { what: "everything was sent that was to be sent again" });
  for (const lane of lanes) await lane.close();
  return lanes.flatMap((lane) => lane.store.history);
}

/** Alone on a subject, waits as long as it is told. Begins when the store answers. */
async function retry(): Promise<readonly HistoryRecord[]> {
  // A call whose reply was lost may have opened the breaker just now.
  await whenAnswering(store);
  const recording = new RecordingStore(store);
  const alone = createLimiter({ store: recording, onStoreUnavailable: "reject" });
  const limits = [fixedWindow({ max: 1, windowMs: 150 })];
  const question = { descriptors: [{ kind: "alone", id: String(process.pid), limits }] };
  recording.begin(`${process.pid}-alone`);
  const [, second] = await Promise.all([alone.admit(question), alone.admit(question)]);
  await pause((second.admitted ? 0 : (second.rejection.retryAfterMs ?? 0)) + 2);
  recording.begin(`${process.pid}-retry`, true);
  await alone.admit(question);
  await alone.close();
  return recording.history;
}

async function goOn(): Promise<void> {
  const lanes = lanesOf(8);
  await Promise.all(
    lanes.map(async (lane) => {
      for (;;) await lane.askOnce();
    }),
  );
}

process.on("message", async (order: Order) => {
  if (order.do === "burst") answer(await burst(order));
  if (order.do === "mix") answer(await mix(order));
  if (order.do === "retry") answer(await retry());
  if (order.do === "go on") {
    answer("begun");
    await goOn();
  }
});
// Whoever asked is gone.
process.on("disconnect", () => process.exit());

await whenAnswering(store);
answer("ready");
