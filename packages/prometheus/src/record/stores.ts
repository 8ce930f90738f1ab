import { type Clock, StoreError } from "@sluice/core";
import type { Families } from "../metric/families";
import { type Handlers, NONE } from "./handlers";
import { Outages } from "./outages";

/** Measures calls of shared stores, and counts what fails and what is answered without them. */
export function storeHandlers(
  families: Families,
  clock: Clock,
): Handlers<
  | "store_called"
  | "store_failed"
  | "store_unavailable"
  | "store_recovered"
  | "store_node_lost"
  | "store_node_back"
> {
  const calls = families.histogram({
    name: "store_call_seconds",
    help: "How long calls of a shared store took, from the question to its answer or failure.",
    labels: ["limiter", "operation", "result"],
  });
  const errors = families.counter({
    name: "store_errors_total",
    help: "Commands that the store could not execute, by the code of the error.",
    labels: ["limiter", "operation", "code"],
  });
  const nodesLost = families.counter({
    name: "store_nodes_lost_total",
    help: "How often the breaker of a node of a shared store has opened.",
    labels: [],
  });
  const outages = new Outages(families, clock);
  return {
    store_called: ({ operation, tookMs, failed }, limiter) =>
      calls.observe(tookMs, limiter, operation, failed ? "failed" : "answered"),
    store_failed: ({ operation, error }, limiter) =>
      errors.inc(limiter, operation, error instanceof StoreError ? error.code : NONE),
    store_unavailable: ({ policy }, limiter) => outages.began(limiter, policy),
    store_recovered: ({ downMs }, limiter) => outages.ended(limiter, downMs),
    store_node_lost: () => nodesLost.inc(),
    // Where breakers stand is read when somebody looks.
    store_node_back: () => {},
  };
}
