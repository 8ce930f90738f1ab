import type { HttpRequest } from "@sluice/core/http";
import type { NodeRequest, NodeResponse } from "../message";
import { AdmissionEntry } from "./admission-entry";
import { type AdmissionLogOptions, parseAdmissionLogOptions } from "./admission-log-options";

/**
 * Writes one event for each request at each gate and each set of limits that it was given to as
 * `admissionEvents`. Made by {@link createAdmissionLog}.
 */
export interface AdmissionLog<Req> {
  /** Begins the entry of a request that is judged now. For the judges of adapters. */
  begin(request: Req, req: NodeRequest, res: NodeResponse): AdmissionEntry;
}

/**
 * Makes a log of what becomes of requests, for the option `admissionEvents` of every adapter's gate
 * and limits: one flat {@link AdmissionEvent} when a response has ended. Exempt requests and those
 * to which no limits apply have none. Nothing that `sink` or `describe` does reaches the request.
 *
 * @throws InvalidOptionsError listing every problem.
 *
 * @example
 * ```ts
 * const admissionEvents = createAdmissionLog<IncomingMessage>({
 *   controllerVersion: "2026-11-30",
 *   sink: (event) => logger.info(event, "admission"),
 *   allow: { route: ["chat", "search"] },
 *   describe: (req) => ({ route: routeOf(req.url) }),
 * });
 * const gate = createNodeGate({ gate: createGate({ maxInFlight: 100 }), admissionEvents });
 * ```
 */
export function createAdmissionLog<Req = HttpRequest>(
  options: AdmissionLogOptions<Req>,
): AdmissionLog<Req> {
  const config = parseAdmissionLogOptions(options);
  const { describe } = config;
  return {
    begin: (request, req, res) => new AdmissionEntry(config, () => describe?.(request), req, res),
  };
}
