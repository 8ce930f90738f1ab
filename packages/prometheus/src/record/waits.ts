import type { Families } from "../metric/families";
import type { Handlers } from "./handlers";

/** Measures how long questions wait for limits (`maxWaitMs`). */
export function waitHandlers(
  families: Families,
): Handlers<"limiter_wait_began" | "limiter_wait_ended"> {
  const waits = families.histogram({
    name: "limiter_wait_seconds",
    help: "How long questions waited for a limit, by how that ended.",
    labels: ["limiter", "kind", "limit", "outcome"],
  });
  return {
    // How many wait now is read when somebody looks.
    limiter_wait_began: () => {},
    limiter_wait_ended: ({ kind, limit, admitted, waitedMs }, limiter) =>
      waits.observe(waitedMs, limiter, kind, limit, admitted ? "admitted" : "rejected"),
  };
}
