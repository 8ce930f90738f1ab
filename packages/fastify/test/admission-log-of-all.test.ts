import { fastify } from "fastify";
import { expect, it } from "vitest";
import { createAdmissionLog, createGate, fastifyGate } from "../src";

it("takes a log that was made without saying whose requests it describes", async () => {
  const routes: unknown[] = [];
  const admissionEvents = createAdmissionLog({
    controllerVersion: "1",
    sink: ({ route }) => routes.push(route),
    allow: { route: ["/here"] },
    describe: ({ url }) => (url === undefined ? {} : { route: url }),
  });
  const app = fastify();
  await app.register(fastifyGate, { gate: createGate({ maxInFlight: 1 }), admissionEvents });
  app.get("/here", () => "hello\n");
  await app.inject("/here");
  expect(routes).toEqual(["/here"]);
  await app.close();
});
