import http, { type Server } from "node:http";
import { createGate, type Gate } from "@sluice/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rawClient, request } from "../test/raw-client";
import { startHttp, type TestServer } from "../test/servers";
import { until } from "../test/until";
import { closeAfterwards } from "./closing";
import { createNodeGate } from "./node-gate";
import { sendAnswer } from "./send-answer";

const megabyte = 1_000_000;

let server: TestServer<Server>;
let gate: Gate;
let agent: http.Agent;

beforeEach(async () => {
  gate = createGate({ maxInFlight: 1, queue: { max: 0 } });
  server = await startHttp(createNodeGate({ gate }).wrap((_req, res) => res.end("ok")));
  agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
});

afterEach(async () => {
  agent.destroy();
  await server.close();
  expect(gate.stats().inFlight).toBe(0);
});

interface Answer {
  readonly status: number | undefined;
  readonly connection: string | undefined;
  readonly body: string;
}

/**
 * Sends the whole body without waiting for the answer, as most clients do, and reads the answer.
 */
function post(path: string, body: Buffer | string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const upload = http.request(server.origin + path, { method: "POST", agent }, (res) => {
      let text = "";
      res.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      res.once("end", () =>
        resolve({ status: res.statusCode, connection: res.headers.connection, body: text }),
      );
    });
    upload.on("error", reject).end(body);
  });
}

describe("a refusal while the body is still arriving", () => {
  it.each([1, 10, 50])(
    "is read by a client that uploads %d MB, whose connection stays usable",
    async (megabytes) => {
      const verdict = await gate.enter();
      const refused = await post("/", Buffer.alloc(megabytes * megabyte));
      expect(refused.status).toBe(503);
      expect(JSON.parse(refused.body)).toMatchObject({ reason: "queue_full" });
      if (verdict.admitted) verdict.permit.end();
      expect(await post("/", "next")).toMatchObject({ status: 200, body: "ok" });
      expect(server.connections).toHaveLength(1);
    },
  );
});

describe("a refusal by a gate that drains", () => {
  it("closes the connection at once if the request has no body", async () => {
    await gate.drain();
    const client = await rawClient(server.port);
    client.send(request("/"));
    await until("the connection is over", () => client.socket.destroyed);
    expect(client.received()).toMatch(/^HTTP\/1\.1 503 .*\r\nconnection: close\r\n/is);
    expect(client.received()).toMatch(/retry-after: 1\r\n/);
  });

  it("closes it at once if the body has been read", async () => {
    const answer = { status: 503, headers: {}, body: "going" };
    server.server.removeAllListeners("request").on("request", (req, res) => {
      req.resume().once("end", () => {
        closeAfterwards(req, res);
        sendAnswer(res, answer);
      });
    });
    expect(await post("/", "hi")).toEqual({ status: 503, connection: "close", body: "going" });
  });

  it("is read by a client that uploads 10 MB, and closes the connection afterwards", async () => {
    await gate.drain();
    const refused = await post("/", Buffer.alloc(10 * megabyte));
    expect(refused.status).toBe(503);
    expect(refused.connection).toBe("keep-alive");
    await until("the connection is over", () => server.connections[0]?.closed === true);
  });

  it("closes the connection of a client that does not go on sending, at the bound", async () => {
    const answer = { status: 503, headers: {}, body: "going" };
    server.server.removeAllListeners("request").on("request", (req, res) => {
      closeAfterwards(req, res, 30);
      sendAnswer(res, answer);
    });
    const client = await rawClient(server.port);
    client.send(request("/", { method: "POST", head: "Content-Length: 1000\r\n" }));
    await client.receives("going");
    await until("the connection is over", () => client.socket.destroyed);
  });
});
