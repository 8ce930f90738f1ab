import { describeAdapterConformance } from "@sluice/testing";
import { fastify as fastify5 } from "fastify";
import { fastify as fastify4 } from "fastify-4";
import { describe, it } from "vitest";
import { startFastify } from "./conformance/start-fastify";

describeAdapterConformance(
  {
    name: "Fastify 4",
    lacks: { "error-after-head": "Fastify 4 itself leaves a rejection unhandled then" },
    start: (scenario) => startFastify(fastify4 as unknown as typeof fastify5, scenario, "logger"),
  },
  { describe, it },
);

describeAdapterConformance(
  {
    name: "Fastify 5",
    start: (scenario) => startFastify(fastify5, scenario, "loggerInstance"),
  },
  { describe, it },
);
