import type { Scenario } from "../runner/scenario";
import { gateBurst } from "./a-gate-burst";
import { streamsHoldSlots } from "./b-streams-hold-slots";
import { livenessUnderLoad } from "./c-liveness-under-load";
import { backlog } from "./d-backlog";
import { concurrencyLimit } from "./e-concurrency-limit";
import { requestsAndTokens } from "./f-requests-and-tokens";

/** All scenarios, in the order of the table. */
export const scenarios: readonly Scenario[] = [
  gateBurst,
  streamsHoldSlots,
  livenessUnderLoad,
  backlog,
  concurrencyLimit,
  requestsAndTokens,
];
