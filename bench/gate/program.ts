import { answerParent, readArgument, tellParent } from "../process/answer-parent";
import { Stopwatch } from "../process/stopwatch";
import { prepare } from "./contender/contenders";
import type { Subject } from "./contender/subject";
import type { GateOrder, GateQuestion, Growth } from "./order";

/** Long enough for the optimising compiler to be done with the loop. */
const WARM_UP_MS = 200;
const ROUND_MS = 20;

const stopwatch = new Stopwatch();

async function nsPerRequest(subject: Subject, count: number): Promise<number> {
  stopwatch.start();
  await subject.pass(count);
  return (stopwatch.lap().ownMs * 1e6) / count;
}

/** Runs until the loop is warm, and finds how many requests fill a round. */
async function roundSize(subject: Subject): Promise<number> {
  let ns = 0;
  for (let spentMs = 0, count = 1000; spentMs < WARM_UP_MS; count *= 2) {
    ns = await nsPerRequest(subject, count);
    spentMs += (ns * count) / 1e6;
  }
  return Math.max(1000, Math.round((ROUND_MS * 1e6) / ns));
}

/** Memory in use after everything that can go has gone. */
function memoryUsed(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function growth(subject: Subject, count: number): Promise<Growth> {
  const tenth = count / 10;
  const firstNs = await nsPerRequest(subject, tenth);
  const firstBytes = memoryUsed();
  for (let part = 2; part < 10; part += 1) await subject.pass(tenth);
  const lastNs = await nsPerRequest(subject, tenth);
  return { firstNs, lastNs, firstBytes, lastBytes: memoryUsed() };
}

async function main(): Promise<void> {
  const { contender } = readArgument<GateOrder>();
  const subject = prepare(contender);
  const count = await roundSize(subject);
  answerParent(async (question: GateQuestion) =>
    question === "round" ? nsPerRequest(subject, count) : growth(subject, question),
  );
  tellParent("ready");
}

await main();
