import type { IncomingMessage, Server } from "node:http";
import { createGate, createLimiter, fixedWindow } from "@sluice/core";
import { assert, asyncProperty, nat, record, stringMatching } from "fast-check";
import { afterEach, expect, it } from "vitest";
import { startHttp, type TestServer } from "../../test/servers";
import { until } from "../../test/until";
import type { NodeRequest } from "../message";
import { createNodeGate } from "../node-gate";
import { createNodeLimits } from "../node-limits";
import type { AdmissionEvent } from "./admission-event";
import { createAdmissionLog } from "./admission-log";

let server: TestServer<Server>;
const events: AdmissionEvent[] = [];

afterEach(() => server.close());

const headerOf = ({ headers }: Pick<NodeRequest, "headers">, name: string) => String(headers[name]);
const limits = [fixedWindow({ max: 2, windowMs: 60_000 })];

/** A server whose operator passes on as facts whatever its callers send. */
async function serveTrustingly(): Promise<void> {
  const admissionEvents = createAdmissionLog<NodeRequest>({
    sink: (event) => void events.push(event),
    controllerVersion: "1.2.3",
    allow: { route: ["chat"] },
    describe: (req) => ({
      requestId: `${headerOf(req, "x-text")} `,
      route: req.url,
      provider: headerOf(req, "x-text"),
      region: headerOf(req, "user-agent"),
      modelClass: headerOf(req, "x-class"),
      trafficClass: headerOf(req, "x-class"),
      streaming: headerOf(req, "x-text") as never,
      attempt: Number(headerOf(req, "x-number")),
      tokenEstimate: Number(headerOf(req, "x-number")),
    }),
  });
  const gate = createNodeGate({
    gate: createGate({ maxInFlight: 5, classes: { chat: { weight: 1 } }, defaultClass: "chat" }),
    fairnessKey: (req) => headerOf(req, "authorization"),
    admissionEvents,
    onError: () => {},
  });
  const guard = createNodeLimits<IncomingMessage>({
    limiter: createLimiter(),
    policy: (req) => ({
      descriptors: [{ kind: "api_key", id: headerOf(req, "authorization"), limits }],
    }),
    admissionEvents,
    onError: () => {},
  });
  const handler = guard.wrap((req, res) => {
    const text = headerOf(req, "x-text");
    res.statusCode = 400;
    res.setHeader("x-text", text);
    if (text.length % 2 === 0) throw new Error(text);
    res.end(text);
  });
  server = await startHttp(gate.wrap(handler));
}

const texts = stringMatching(/^[!-~]{8,60}$/);
const sent = record({
  key: texts,
  text: texts,
  class: texts,
  agent: texts,
  path: stringMatching(/^[A-Za-z0-9_.-]{8,40}$/),
  body: texts,
  number: nat({ max: 2 ** 31 - 1 }).map((above) => `${4_111_111_111_111_111 + above}`),
});

it("Nothing that a caller sends appears in an event, whatever it is", async () => {
  await serveTrustingly();
  await assert(
    asyncProperty(sent, async (given) => {
      events.length = 0;
      const answer = await fetch(`${server.origin}/${given.path}?${given.path}`, {
        method: "POST",
        body: given.body,
        headers: {
          authorization: given.key,
          "user-agent": given.agent,
          "x-text": given.text,
          "x-class": given.class,
          "x-number": given.number,
        },
      });
      await answer.text();
      await until("both events are there", () => events.length === 2);
      const written = events.flatMap((event) => Object.values(event).map(String));
      for (const secret of Object.values(given)) {
        expect(written.filter((value) => value.includes(secret))).toEqual([]);
      }
    }),
    { numRuns: 150 },
  );
});
