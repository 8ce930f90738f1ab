import type { ClosedLoopResult } from "../client/closed-loop";
import { type Row, same, shown, within } from "../runner/row";
import type { Stage } from "../runner/scenario";
import { chatShot } from "./chat-shot";

/** Many clients on a key with few slots, who ask again at once when they are refused. */
export interface SustainedSlots {
  readonly slots: number;
  readonly clients: number;
  readonly serviceMs: number;
  readonly durationMs: number;
}

/** What the clients got, and the rows about it. */
export interface SustainedResult {
  readonly result: ClosedLoopResult;
  readonly rows: readonly Row[];
}

/** All slots are in use all the time, and no more than they are, by what the upstream saw. */
export async function sustainSlots(
  { load, upstream, ports }: Stage,
  { slots, clients, serviceMs, durationMs }: SustainedSlots,
): Promise<SustainedResult> {
  await load.open(ports, clients);
  const shot = chatShot({ key: "sk-slots", latencyMs: serviceMs, maxTokens: 30 });
  const result = await load.closedLoop({ shot, durationMs, pauseMs: 20 });
  const { inFlightMax, completedAtMs } = await upstream.report();
  const completed = completedAtMs.filter((atMs) => atMs <= durationMs).length;
  const possible = (durationMs / serviceMs) * slots;
  const rows = [
    same("upstream's own maximum", inFlightMax, slots),
    within(`completed there in ${durationMs / 1000} s`, [completed], {
      min: 0.9 * possible,
      max: possible,
      expected: `>= 90 % of time / service time x ${slots} = ${possible}`,
    }),
    same("refused with another status than 429", refusedOtherwise(result), 0),
    shown("refused with 429", String(result.refused["429"] ?? 0)),
  ];
  return { result, rows };
}

function refusedOtherwise({ refused }: ClosedLoopResult): number {
  const counts = Object.entries(refused).filter(([status]) => status !== "429");
  return counts.reduce((sum, [, count]) => sum + count, 0);
}
