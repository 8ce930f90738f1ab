import http2, { constants, type Http2ServerResponse } from "node:http2";
import { createGate, type Gate } from "@sluice/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Outcomes } from "../test/outcomes";
import { startHttp2, type TestServer } from "../test/servers";
import { until } from "../test/until";
import { createNodeGate } from "./node-gate";

let server: TestServer<http2.Http2Server>;
let client: http2.ClientHttp2Session;
let gate: Gate;
let outcomes: Outcomes;
let held: Http2ServerResponse[];
let errors: unknown[];

beforeEach(async () => {
  outcomes = new Outcomes();
  held = [];
  errors = [];
  gate = createGate({ maxInFlight: 1, queue: { max: 1, timeoutMs: 60_000 }, recorder: outcomes });
  server = await startHttp2(
    createNodeGate({ gate, onError: (error) => errors.push(error) }).wrap((req, res) => {
      if (req.url === "/throws") throw new Error("from the handler");
      if (req.url === "/breaks") {
        res.write("half");
        throw new Error("from the handler");
      }
      if (req.url === "/ended-5MB") res.end(Buffer.alloc(5_000_000));
      else if (req.url === "/open") res.write("first");
      else held.push(res);
    }),
  );
  client = http2.connect(server.origin).on("error", () => {});
});

afterEach(async () => {
  client.destroy();
  await server.close();
  await until("every slot is back", () => gate.stats().inFlight + gate.stats().queued === 0);
});

interface Asked {
  readonly stream: http2.ClientHttp2Stream;
  readonly answer: Promise<{ status: unknown; body: string; code: number | undefined }>;
}

function ask(
  path: string,
  { method = "GET", body }: { method?: string; body?: Buffer } = {},
): Asked {
  const stream = client.request({ ":path": path, ":method": method });
  let status: unknown;
  let text = "";
  stream.on("error", () => {}).setEncoding("utf8");
  stream.on("response", (headers) => {
    status = headers[":status"];
  });
  stream.on("data", (chunk: string) => {
    text += chunk;
  });
  if (body !== undefined) stream.end(body);
  const answer = new Promise<{ status: unknown; body: string; code: number | undefined }>(
    (resolve) => stream.once("close", () => resolve({ status, body: text, code: stream.rstCode })),
  );
  return { stream, answer };
}

const untilHeld = () => until("a response is held", () => held.length > 0);
const untilFree = () => until("the slot is back", () => gate.stats().inFlight === 0);
const release = () => held.shift()?.end("ok");

describe("a gate in front of node:http2", () => {
  it("lets one stream in, queues one and refuses the third", async () => {
    const first = ask("/1");
    await untilHeld();
    const second = ask("/2");
    await until("one is queued", () => gate.stats().queued === 1);
    const third = await ask("/3").answer;
    expect(third.status).toBe(503);
    expect(JSON.parse(third.body)).toMatchObject({ status: 503, reason: "queue_full" });
    release();
    await untilHeld();
    release();
    expect([(await first.answer).status, (await second.answer).status]).toEqual([200, 200]);
    await untilFree();
    expect(outcomes.all).toEqual(["success", "success"]);
  });

  it("refuses a HEAD without a body", async () => {
    ask("/1");
    await untilHeld();
    ask("/2");
    await until("one is queued", () => gate.stats().queued === 1);
    const refused = await ask("/3", { method: "HEAD" }).answer;
    expect(refused).toEqual({ status: 503, body: "", code: 0 });
  });

  it("drops a waiter whose stream is reset", async () => {
    ask("/1");
    await untilHeld();
    const waiting = ask("/2");
    await until("one is queued", () => gate.stats().queued === 1);
    waiting.stream.close(constants.NGHTTP2_CANCEL);
    await until("nobody is queued", () => gate.stats().queued === 0);
    expect(gate.stats().rejectedByReason).toEqual({ aborted: 1 });
  });

  it.each(["/open", "/ended-5MB"])(
    "R027: frees the slot of a stream that is reset (%s)",
    async (path) => {
      const { stream } = ask(path);
      stream.pause();
      await new Promise((resolve) => stream.once("response", resolve));
      stream.close(constants.NGHTTP2_CANCEL);
      await untilFree();
      expect(outcomes.all).toEqual(["ignored"]);
    },
  );

  it("R027: frees the slot when the whole session is destroyed", async () => {
    await new Promise((resolve) => ask("/open").stream.once("response", resolve));
    client.destroy();
    await untilFree();
    expect(outcomes.all).toEqual(["ignored"]);
  });

  it("R018: answers 500 for a handler that throws, and resets an answer that had begun", async () => {
    expect(await ask("/throws").answer).toEqual({
      status: 500,
      body: "Internal Server Error\n",
      code: constants.NGHTTP2_NO_ERROR,
    });
    await untilFree();
    expect((await ask("/breaks").answer).code).toBe(constants.NGHTTP2_INTERNAL_ERROR);
    await untilFree();
    expect(outcomes.all).toEqual(["success", "ignored"]);
    expect(errors).toEqual(Array(2).fill(new Error("from the handler")));
  });

  it.each([1, 10])(
    "refuses an upload of %d MB, which the client gets to read",
    async (megabytes) => {
      ask("/1");
      await untilHeld();
      ask("/2");
      await until("one is queued", () => gate.stats().queued === 1);
      const body = Buffer.alloc(megabytes * 1_000_000);
      const refused = await ask("/upload", { method: "POST", body }).answer;
      expect(refused.status).toBe(503);
      expect(JSON.parse(refused.body)).toMatchObject({ reason: "queue_full" });
    },
  );

  it("refuses with a plain answer while draining; the session is the server's to close", async () => {
    await gate.drain();
    const refused = await ask("/1").answer;
    expect(JSON.parse(refused.body)).toMatchObject({ reason: "draining" });
    expect(client.destroyed).toBe(false);
  });
});
