import type { GatewaySettings } from "../gateway/gateway-settings";
import type { Scenario } from "../runner/scenario";
import { gateBurst } from "./a-gate-burst";
import { streamsHoldSlots } from "./b-streams-hold-slots";
import { livenessUnderLoad } from "./c-liveness-under-load";
import { backlog } from "./d-backlog";
import { concurrencyLimit } from "./e-concurrency-limit";
import { requestsAndTokens } from "./f-requests-and-tokens";
import { sharedSlots } from "./g-shared-slots";
import { sharedWindows } from "./h-shared-windows";
import { crashedHolder } from "./i-crashed-holder";
import { priorities } from "./j-priorities";
import { adaptiveCap } from "./k-adaptive-cap";

/** The scenarios of one process each, in the order of the table. */
const alone: readonly Scenario[] = [
  gateBurst,
  streamsHoldSlots,
  livenessUnderLoad,
  backlog,
  concurrencyLimit,
  requestsAndTokens,
  priorities,
  adaptiveCap,
];

/** The scenarios of several processes, which need a store that they share. */
const shared: readonly Scenario[] = [sharedSlots, sharedWindows, crashedHolder];

/** All scenarios that can be run with a store, in the order of the table. */
export function scenariosOn(store: GatewaySettings["store"]): readonly Scenario[] {
  return store === "memory" ? alone : [...alone, ...shared];
}
