import type { Families } from "../metric/families";
import type { Handlers } from "./handlers";

/** Counts what was admitted without the store, and entered there later or never. */
export function localUseHandlers(
  families: Families,
): Handlers<"local_use_reported" | "local_use_dropped"> {
  const descriptors = families.counter({
    name: "local_use_reports_total",
    help: "Descriptors whose use during an outage was entered in the store.",
    labels: ["limiter"],
  });
  const units = families.counter({
    name: "local_use_reported_total",
    help: "Units that were admitted during an outage and entered in the store.",
    labels: ["limiter", "unit"],
  });
  const refunded = families.counter({
    name: "local_use_refunded_total",
    help: "Units of those that were given back after they had been entered.",
    labels: ["limiter", "unit"],
  });
  const dropped = families.counter({
    name: "local_use_dropped_total",
    help: "Descriptors whose use during an outage is not going to be entered in the store.",
    labels: ["limiter"],
  });
  return {
    local_use_reported: (event, limiter) => {
      descriptors.add(event.descriptors, limiter);
      for (const [unit, amount] of Object.entries(event.units)) {
        units.add(amount, limiter, unit);
        refunded.add(-amount, limiter, unit);
      }
    },
    local_use_dropped: (_event, limiter) => dropped.inc(limiter),
  };
}
