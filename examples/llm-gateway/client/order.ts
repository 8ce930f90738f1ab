import type { ClosedLoopPlan } from "./closed-loop";
import type { LivenessPlan } from "./liveness";
import type { OpenLoopPlan } from "./open-loop";
import type { Shot } from "./shot";

/** What the runner can tell a load client to do; one order at a time. */
export type Order =
  | { readonly type: "open"; readonly ports: readonly number[]; readonly connections: number }
  | { readonly type: "burst"; readonly shots: readonly Shot[] }
  | { readonly type: "closed-loop"; readonly plan: ClosedLoopPlan }
  | { readonly type: "open-loop"; readonly plan: OpenLoopPlan }
  | { readonly type: "liveness"; readonly plan: LivenessPlan }
  | { readonly type: "close" };

/** What a load client says: that it can take orders, and how each one went. */
export type Reply =
  | { readonly type: "ready" }
  | { readonly type: "done"; readonly result: unknown }
  | { readonly type: "failed"; readonly message: string };
