import type { Shot } from "../client/shot";
import type { DecidedCounts } from "../gateway/decided-by";
import { type Row, same } from "../runner/row";
import type { Stage } from "../runner/scenario";

/**
 * That no process had to decide by itself: then limits hold within the bounds of its policy, and
 * not exactly. Uses the prober.
 */
export async function decidedByStore({ prober, ports }: Pick<Stage, "prober" | "ports">) {
  await prober.open(ports, ports.length);
  const headers = { authorization: "Bearer sk-open" };
  const shot: Shot = { method: "GET", path: "/health/decided-by", headers };
  const answers = await prober.burst(ports.map(() => shot));
  const counts = answers.map(({ body }) => JSON.parse(body) as DecidedCounts);
  const others = counts.reduce((sum, { local, policy }) => sum + local + policy, 0);
  const row: Row = same("verdicts that the store did not give", others, 0);
  return row;
}
