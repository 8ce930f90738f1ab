import type { Families } from "../metric/families";
import type { Handlers } from "./handlers";

/** Counts the moves of adaptive limits. */
export function adaptiveHandlers(families: Families): Handlers<"limit_changed" | "limit_unstable"> {
  const changes = families.counter({
    name: "adaptive_changes_total",
    help: "Changes of adaptive limits, by their reason.",
    labels: ["limit", "reason"],
  });
  const unstable = families.counter({
    name: "adaptive_unstable_total",
    help: "How often an adaptive limit was found not to settle, or at its floor with demand.",
    labels: ["limit", "cause"],
  });
  return {
    limit_changed: ({ limit, reason }) => changes.inc(limit, reason),
    limit_unstable: ({ limit, cause }) => unstable.inc(limit, cause),
  };
}
