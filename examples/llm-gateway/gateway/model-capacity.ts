import { type Descriptor, priorityPool } from "@sluice/core";
import type { GatewaySettings } from "./gateway-settings";

/** The capacity of a model per window, for all keys that have a priority. */
const CAPACITY_REQUESTS = 100;

/** Of which each class is promised a share. */
const shares = { interactive: 0.75, batch: 0.25 };

/** What the requests for a model share, by the priorities of their keys. */
export function modelCapacity(
  settings: Pick<GatewaySettings, "windowMs" | "whenSaturated" | "saturationThreshold">,
): (model: string) => Descriptor {
  const { windowMs, whenSaturated, saturationThreshold } = settings;
  const pool = priorityPool({
    name: "capacity",
    windowMs,
    capacity: { requests: CAPACITY_REQUESTS },
    shares,
    saturationThreshold,
    whenSaturated,
  });
  return (model) => ({ kind: "model", id: model, limits: [pool] });
}
