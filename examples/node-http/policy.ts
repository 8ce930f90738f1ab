import { fixedWindow, slidingWindow } from "@sluice/core";
import { clientAddress, comesFrom, isPreflight, limitBy, unless } from "@sluice/core/http";

/**
 * The header X-Forwarded-For is read only if the peer of the socket is this machine, where a proxy
 * may run. Everybody else is who the socket says.
 */
const client = clientAddress({ trust: ["loopback"] });

/** Who watches the service from a network of its own. */
const isMonitoring = comesFrom(client, ["192.0.2.0/24"]);

/** Both hold for each client: a short burst, and so many in a minute. */
const byClient = limitBy({
  kind: "client",
  id: client,
  limits: [
    fixedWindow({ max: 3, windowMs: 1_000, name: "burst" }),
    slidingWindow({ max: 5, windowMs: 60_000, name: "minute" }),
  ],
});

/** Everything counts, but for what browsers ask by themselves and for monitoring. */
export const policy = unless([isPreflight, isMonitoring], byClient);
