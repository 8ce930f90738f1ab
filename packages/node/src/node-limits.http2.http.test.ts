import http2, { constants, type Http2ServerRequest } from "node:http2";
import { concurrency, createLimiter, type Limiter } from "@sluice/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startHttp2, type TestServer } from "../test/servers";
import { until } from "../test/until";
import { createNodeLimits } from "./node-limits";
import { permitOf } from "./verdict-of";

let server: TestServer<http2.Http2Server>;
let client: http2.ClientHttp2Session;
let limiter: Limiter;

beforeEach(async () => {
  limiter = createLimiter();
  const limits = [concurrency({ max: 1, name: "parallel" })];
  const nodeLimits = createNodeLimits({
    limiter,
    policy: (req: Http2ServerRequest) => ({
      descriptors: [{ kind: "api_key", id: String(req.headers.authorization), limits }],
    }),
    render: { headers: "descriptor" },
  });
  server = await startHttp2(
    nodeLimits.wrap((req, res) => {
      if (req.url === "/open") res.write("first");
      else res.end(String(permitOf(req)?.isClosed));
    }),
  );
  client = http2.connect(server.origin).on("error", () => {});
});

afterEach(async () => {
  client.destroy();
  await server.close();
  await until("every slot is back", () => limiter.heldLeases === 0);
  await limiter.close();
});

async function ask(path: string) {
  const stream = client.request({ ":path": path, authorization: "k1" });
  stream.on("error", () => {}).setEncoding("utf8");
  const body: string[] = [];
  stream.on("data", (chunk: string) => body.push(chunk));
  const headers = await new Promise<http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader>(
    (resolve) => stream.once("response", resolve),
  );
  return { stream, headers, body };
}

describe("limits in front of node:http2", () => {
  it("admit with headers, and hold the slot until the stream is reset", async () => {
    const first = await ask("/open");
    expect(first.headers["x-ratelimit-api_key-remaining-slots"]).toBe("0");
    const refused = await ask("/");
    expect(refused.headers[":status"]).toBe(429);
    expect(refused.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
    first.stream.close(constants.NGHTTP2_CANCEL);
    await until("the slot is back", () => limiter.heldLeases === 0);
    const next = await ask("/");
    expect(next.headers[":status"]).toBe(200);
    await until("the body has come", () => next.body.length > 0);
    expect(next.body).toEqual(["false"]);
  });
});
