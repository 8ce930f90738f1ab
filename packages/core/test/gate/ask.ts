import type { Gate, GatePermit, GateVerdict } from "@sluice/core";

/** The permit of a request that has to be let in. */
export async function permitOf(verdict: Promise<GateVerdict>): Promise<GatePermit> {
  const settled = await verdict;
  if (!settled.admitted) throw new Error(`expected a permit, was ${settled.rejection.reason}`);
  return settled.permit;
}

/** The reason of a refusal, or `admitted`. */
export async function reasonOf(verdict: Promise<GateVerdict>): Promise<string> {
  const settled = await verdict;
  return settled.admitted ? "admitted" : settled.rejection.reason;
}

/** Several requests at one instant, in order. */
export function enterMany(gate: Gate, count: number): Promise<GateVerdict>[] {
  return Array.from({ length: count }, () => gate.enter());
}
