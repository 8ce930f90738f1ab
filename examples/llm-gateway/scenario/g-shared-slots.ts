import type { Scenario } from "../runner/scenario";
import { decidedByStore } from "./decided-by-store";
import { sustainSlots } from "./sustained-slots";

const load = { slots: 5, clients: 60, serviceMs: 1_200, durationMs: 12_000 };

/** As e, with the key's slots shared by three gateway processes. */
export const sharedSlots: Scenario = {
  letter: "g",
  title: `shared: ${load.slots} at once on a key over 3 processes; ${load.clients} clients`,
  scale: `completions take ${load.serviceMs / 1000} s`,
  adapters: "mixed",
  gateways: [{}, {}, {}],
  async run(stage) {
    const { rows } = await sustainSlots(stage, load);
    return [...rows, await decidedByStore(stage)];
  },
};
