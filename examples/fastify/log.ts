import { type AdmissionLog, createAdmissionLog } from "@sluice/fastify";
import type { FastifyRequest } from "fastify";
import { pino } from "pino";

/**
 * One line of JSON for each request that was counted, at its end: what was decided and why, and
 * nothing of who asked. Only names that are listed here are written.
 */
export function admissionLog(): AdmissionLog<FastifyRequest> {
  const logger = pino();
  return createAdmissionLog<FastifyRequest>({
    controllerVersion: "example-1",
    sink: (event) => logger.info(event, "admission"),
    describe: (request) => ({ requestId: request.id, route: request.routeOptions.url }),
    allow: {
      route: ["/orders", "/export"],
      kind: ["user", "client", "exporter"],
      limitName: ["minute", "strangers", "at-once", "hour"],
    },
  });
}
