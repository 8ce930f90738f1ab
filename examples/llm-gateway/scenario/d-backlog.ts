import { setTimeout as sleep } from "node:timers/promises";
import { same } from "../runner/row";
import type { Scenario } from "../runner/scenario";
import { statusCounts } from "./answers";
import { chatShot } from "./chat-shot";

const LATENCY_MS = 1_500;

/** The backlog endpoint counts what happens at the gate, while it happens and after. */
export const backlog: Scenario = {
  letter: "d",
  title: "backlog endpoint: cap 2, queue 1, time-out 0.5 s; six completions at once",
  scale: `completions take ${LATENCY_MS / 1000} s, not 14 to 16 s`,
  adapters: "side by side",
  gateways: [{ maxInFlight: 2, queueMax: 1, queueTimeoutMs: 500 }],
  async run({ ports: [port = 0], load, prober }) {
    await prober.open(port, 1);
    await load.open(port, 6);
    const askBacklog = async () =>
      spelled((await prober.send({ method: "GET", path: "/health/backlog" })).body);
    const before = await askBacklog();
    const burst = load.burst(Array.from({ length: 6 }, () => chatShot({ latencyMs: LATENCY_MS })));
    await sleep(250);
    const whileOneWaits = await askBacklog();
    await sleep(600);
    const whileNobodyWaits = await askBacklog();
    const answers = await burst;
    const after = await askBacklog();
    return [
      same("before", before, counts([1, 0, 0, 0])),
      same("0.25 s: two run, one waits, three refused", whileOneWaits, counts([4, 2, 1, 3])),
      same("0.85 s: the one that waited is refused", whileNobodyWaits, counts([3, 2, 0, 4])),
      same("answers", statusCounts(answers), "2 x 200, 4 x 503"),
      same("after", after, counts([1, 0, 0, 4])),
    ];
  },
};

/** What the endpoint should say; the first number counts the question itself too. */
function counts([inFlight, admitted, queued, rejected]: readonly number[]): string {
  return spelled(
    JSON.stringify({
      in_flight_requests: inFlight,
      admitted_requests: admitted,
      queued_requests: queued,
      rejected_requests: rejected,
    }),
  );
}

/** JSON with room to break the line. */
function spelled(json: string): string {
  return json.replaceAll(",", ", ");
}
