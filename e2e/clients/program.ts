// Makes calls with real clients for the test that started it, and reports what they did.

import { attemptsTo, noteAttempts } from "./attempts";
import type { Call, CallReport, ClientLine, Clients } from "./call";

interface Question {
  readonly id: number;
  readonly call: Call;
}

const STEP_MS = 20;

process.once("disconnect", () => process.exit(0));
noteAttempts();
const { clients } = await load(process.argv[2] as ClientLine);

process.on("message", ({ id, call }: Question) => {
  void report(call).then((report) => process.send?.({ id, report }));
});
process.send?.({ version: process.version });

function load(line: ClientLine): Promise<{ readonly clients: Clients }> {
  return line === "newest" ? import("./newest-clients") : import("./node-20-clients");
}

async function report({ client, abortAfterMs, ...call }: Call): Promise<CallReport> {
  const startMs = performance.now();
  const stall = watchStalls();
  let isAnswered = true;
  try {
    const signal = AbortSignal.timeout(abortAfterMs);
    // Not every client ends its wait when it is told to.
    await Promise.race([clients[client](call, signal), rejectionOf(signal)]);
  } catch {
    isAnswered = false;
  }
  const tookMs = performance.now() - startMs;
  return { attempts: attemptsTo(call.url), isAnswered, tookMs, stalledMs: stall() };
}

/** Returns what ends it and tells the longest time by which a timer was late. */
function watchStalls(): () => number {
  let dueMs = performance.now() + STEP_MS;
  let longestMs = 0;
  const timer = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - dueMs);
    dueMs = performance.now() + STEP_MS;
  }, STEP_MS);
  return () => {
    clearInterval(timer);
    return longestMs;
  };
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}
