import type { IncomingHttpHeaders } from "node:http";
import { createGate, createLimiter, fixedWindow, type Gate, type Question } from "@sluice/core";
import type { HeaderPreset } from "@sluice/core/http";
import { KEY_HEADER } from "../answer";
import type { Ingredients } from "../server-name";
import { HOUR_MS, maxOf } from "./numbers";

/** Above the number of connections of the client. */
const MAX_IN_FLIGHT = 1000;

/** What the requests of all frameworks have in common. */
interface WithHeaders {
  readonly headers: IncomingHttpHeaders;
}

export function keyOf({ headers }: WithHeaders): string {
  return String(headers[KEY_HEADER]);
}

/** The options of our gate. */
export function gateOptions(): { readonly gate: Gate } {
  return { gate: createGate({ maxInFlight: MAX_IN_FLIGHT }) };
}

/** The options of our limits; with headers, as many fields as the peer sends. */
export function limitsOptions(
  { limits: count, hasHeaders, isRejected }: Ingredients,
  preset: HeaderPreset,
) {
  const limits = Array.from({ length: count }, (_, place) =>
    fixedWindow({ max: maxOf(isRejected), windowMs: (place + 1) * HOUR_MS }),
  );
  const headers: HeaderPreset = hasHeaders ? preset : "none";
  return {
    limiter: createLimiter(),
    policy: (request: WithHeaders): Question => ({
      descriptors: [{ kind: "key", id: keyOf(request), limits }],
    }),
    render: { headers },
  };
}
