import {
  clientAddress,
  concurrency,
  fixedWindow,
  limitBy,
  type Policy,
  slidingWindow,
} from "@sluice/fastify";
import type { FastifyRequest } from "fastify";

/** Every user, and every stranger by address: what holds at all routes that say nothing else. */
export const byUser: Policy<FastifyRequest> = limitBy<FastifyRequest>({
  kind: "user",
  id: (request) => request.user,
  limits: [slidingWindow({ max: 5, windowMs: 60_000, name: "minute" })],
  otherwise: limitBy<FastifyRequest>({
    kind: "client",
    id: clientAddress(),
    limits: [fixedWindow({ max: 2, windowMs: 60_000, name: "strangers" })],
  }),
});

/** An export takes long: one at a time for each user, and few in an hour. Strangers have little. */
export const exports: Policy<FastifyRequest> = limitBy<FastifyRequest>({
  kind: "exporter",
  id: (request) => request.user,
  limits: [
    concurrency({ max: 1, name: "at-once" }),
    fixedWindow({ max: 10, windowMs: 3_600_000, name: "hour" }),
  ],
  otherwise: byUser,
});
