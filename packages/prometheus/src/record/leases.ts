import type { Families } from "../metric/families";
import type { Handlers } from "./handlers";

const labels = ["limiter", "kind", "limit"] as const;

/** Counts what happens to leases besides being taken and freed. */
export function leaseHandlers(
  families: Families,
): Handlers<"lease_lost" | "lease_adopted" | "permit_overdue"> {
  const lost = families.counter({
    name: "leases_lost_total",
    help: "Leases that ended before their holder could renew them.",
    labels,
  });
  const adopted = families.counter({
    name: "leases_adopted_total",
    help: "Leases that the store had forgotten, and that were entered again.",
    labels,
  });
  const overdue = families.counter({
    name: "permits_overdue_total",
    help: "Permits held for longer than maxHoldMs; their leases are not renewed any more.",
    labels,
  });
  return {
    lease_lost: ({ descriptor, limit }, limiter) => lost.inc(limiter, descriptor.kind, limit),
    lease_adopted: ({ descriptor, limit }, limiter) => adopted.inc(limiter, descriptor.kind, limit),
    permit_overdue: ({ descriptor, limit }, limiter) =>
      overdue.inc(limiter, descriptor.kind, limit),
  };
}
