import http2, { constants } from "node:http2";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Ends } from "../test/ends";
import { startHttp2, type TestServer } from "../test/servers";
import { until } from "../test/until";

const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR } = constants;
const fiveMegabytes = Buffer.alloc(5_000_000);

let server: TestServer<http2.Http2Server>;
let client: http2.ClientHttp2Session;
let ends: Ends;

beforeEach(async () => {
  ends = new Ends();
  server = await startHttp2((req, res) => {
    ends.follow(req, res);
    if (req.url === "/open") res.write("first");
    else if (req.url === "/open-5MB") res.write(fiveMegabytes);
    else if (req.url === "/ended-5MB") res.end(fiveMegabytes);
    else if (req.url === "/silent") req.resume();
    else if (req.url === "/goodbye") res.stream.session?.destroy();
    else if (req.url === "/broken") res.destroy();
    else if (req.url === "/raw") answerRaw(res);
    else req.resume().once("end", () => res.end("ok"));
  });
  client = http2.connect(server.origin).on("error", () => {});
});

afterEach(async () => {
  client.destroy();
  await server.close();
  await until("every response is over", () => ends.inFlight === 0);
});

/** Asks, and leaves the answer unread if told to, so that it backs up on the server. */
function ask(path: string, { method = "GET", reads = true, body = "" } = {}) {
  const stream = client.request({ ":path": path, ":method": method }).on("error", () => {});
  if (reads) stream.resume();
  if (method === "POST") stream.end(body);
  return stream;
}

function answerRaw({ stream }: http2.Http2ServerResponse): void {
  stream.respond({ ":status": 200 });
  stream.end("ok");
}

const responded = (stream: http2.ClientHttp2Stream) =>
  new Promise((resolve) => stream.once("response", resolve));

describe("an HTTP/2 response ends", () => {
  it.each([
    ["GET", ""],
    ["HEAD", ""],
    ["POST", "hi"],
  ])("R027: with success after a plain answer to %s", async (method, body) => {
    ask("/plain", { method, body });
    await ends.untilOver("/plain");
    expect(ends.of("/plain")).toEqual(["success"]);
  });

  it("with success when the stream was answered past the response object", async () => {
    ask("/raw");
    await ends.untilOver("/raw");
    expect(ends.of("/raw")).toEqual(["success"]);
  });

  it.each([
    ["CANCEL", NGHTTP2_CANCEL],
    ["NO_ERROR", NGHTTP2_NO_ERROR],
  ])("R027: as ignored after a reset (%s) in the middle of the body", async (_, code) => {
    const stream = ask("/open");
    await responded(stream);
    stream.close(code);
    await ends.untilOver("/open");
    expect(ends.of("/open")).toEqual(["ignored"]);
  });

  it("R027: as ignored after a reset before the answer", async () => {
    const stream = ask("/silent");
    await until("the request has come", () => ends.inFlight === 1);
    stream.close(NGHTTP2_CANCEL);
    await ends.untilOver("/silent");
    expect(ends.of("/silent")).toEqual(["ignored"]);
  });

  it("R027: as ignored when 5 MB were ended and the client resets instead of reading", async () => {
    const stream = ask("/ended-5MB", { reads: false });
    await responded(stream);
    stream.close(NGHTTP2_CANCEL);
    await ends.untilOver("/ended-5MB");
    expect(ends.of("/ended-5MB")).toEqual(["ignored"]);
  });

  it("R027: as ignored when the client, still sending, resets after the whole answer", async () => {
    server.server.removeAllListeners("request").on("request", (req, res) => {
      ends.follow(req, res);
      req.once("data", () => res.end("enough"));
    });
    const stream = client.request({ ":path": "/upload", ":method": "POST" }).resume();
    stream.on("error", () => {}).write("first part");
    await new Promise((resolve) => stream.once("end", resolve));
    expect(ends.inFlight).toBe(1);
    // Not `close`, which on Node 24 ends the request properly before it resets.
    stream.destroy(new Error("the client gives up"));
    await ends.untilOver("/upload");
    expect(ends.of("/upload")).toEqual(["ignored"]);
  });

  it.each(["/ended-5MB", "/open-5MB"])(
    "as ignored within two seconds when Node does not report the reset (NO_ERROR, %s)",
    async (path) => {
      const stream = ask(path, { reads: false });
      await responded(stream);
      stream.close(NGHTTP2_NO_ERROR);
      await until("the response is over", () => ends.of(path).length > 0, 2500);
      expect(ends.of(path)).toEqual(["ignored"]);
    },
  );

  it("with success when a slow client takes its time over an answer the server has closed", async () => {
    server.server.removeAllListeners("request").on("request", (req, res) => {
      ends.follow(req, res);
      res.end(Buffer.alloc(1_000_000));
      res.stream.close(NGHTTP2_NO_ERROR);
    });
    const stream = ask("/slow", { reads: false });
    await responded(stream);
    // Longer than two sweeps for stuck streams.
    await new Promise((resolve) => setTimeout(resolve, 2300));
    expect(ends.inFlight).toBe(1);
    stream.resume();
    await ends.untilOver("/slow");
    expect(ends.of("/slow")).toEqual(["success"]);
  });

  it.each(["/open", "/ended-5MB"])(
    "R027: as ignored when the client destroys the session (%s)",
    async (path) => {
      await responded(ask(path, { reads: false }));
      client.destroy();
      await ends.untilOver(path);
      expect(ends.of(path)).toEqual(["ignored"]);
    },
  );

  it.each(["/open", "/ended-5MB"])("as ignored when the connection breaks (%s)", async (path) => {
    await responded(ask(path, { reads: false }));
    server.connections[0]?.resetAndDestroy();
    await ends.untilOver(path);
    expect(ends.of(path)).toEqual(["ignored"]);
  });

  it.each(["/goodbye", "/broken"])(
    "as ignored when the server breaks it off (%s)",
    async (path) => {
      ask(path);
      await ends.untilOver(path);
      expect(ends.of(path)).toEqual(["ignored"]);
    },
  );

  it("once each, with hundreds of streams on one connection", async () => {
    const streams = Array.from({ length: 300 }, (_, i) => ask(i % 3 === 0 ? "/open" : "/plain"));
    await until("all are answered", () => ends.all.length === 200 && ends.inFlight === 100);
    for (const stream of streams) stream.close(NGHTTP2_CANCEL);
    await until("all are over", () => ends.inFlight === 0);
    expect(ends.of("/plain")).toEqual(Array(200).fill("success"));
    expect(ends.of("/open")).toEqual(Array(100).fill("ignored"));
  });
});
