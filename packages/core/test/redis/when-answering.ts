import { fixedWindow, type Store } from "@sluice/core";
import { pollUntil } from "../../../../tools/redis/poll-until";

/** As many descriptors as reach every node of a cluster, most likely. */
const PROBES = Array.from({ length: 40 }, (_, index) => `probe-${index}`);

/** Waits until a store answers for every node. */
export async function whenAnswering(store: Store): Promise<void> {
  const limits = [fixedWindow({ max: 1, windowMs: 1_000 })];
  const targets = PROBES.map((id) => ({ kind: "probe", id, limits }));
  const cost = { requests: 1, tokens: 0 };
  const answers = async () => (await store.peek({ type: "peek", cost, targets })).admitted;
  await pollUntil(answers, { what: "the store answers" });
}
