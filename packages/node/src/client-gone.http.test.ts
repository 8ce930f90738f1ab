import { once } from "node:events";
import type { Server } from "node:http";
import { createLimiter, fixedWindow, type Policy } from "@sluice/core";
import { clientAddress, type HttpRequest, limitBy, unless } from "@sluice/core/http";
import { afterEach, describe, expect, it } from "vitest";
import { rawClient, request } from "../test/raw-client";
import { startHttp, type TestServer } from "../test/servers";
import { until } from "../test/until";
import { createNodeLimits } from "./node-limits";

let server: TestServer<Server>;
let errors: unknown[];
let ends: number;
let handled: number;

const byClient = limitBy({
  kind: "client",
  id: clientAddress({ trust: 0 }),
  limits: [fixedWindow({ max: 5, windowMs: 60_000 })],
});

async function serve(policy: Policy<HttpRequest>): Promise<void> {
  errors = [];
  ends = 0;
  handled = 0;
  const limits = createNodeLimits({
    limiter: createLimiter(),
    policy,
    onError: (error) => errors.push(error),
  });
  const listener = limits.wrap((_req, res) => {
    handled += 1;
    res.end();
  });
  server = await startHttp((req, res) => {
    res.once("close", () => {
      ends += 1;
    });
    listener(req, res);
  });
}

afterEach(() => server.close());

describe("A client that cannot be known because it has gone", () => {
  it("is no error where it reset its connection at once", async () => {
    await serve(byClient);
    for (let time = 1; time <= 10; time += 1) {
      const { socket } = await rawClient(server.port);
      socket.write(request("/"), () => socket.resetAndDestroy());
      await until("the request is over", () => ends === time);
    }
    expect(errors).toEqual([]);
  });

  it("is no error where it left while the policy waited", async () => {
    let answer = (_isExempt: boolean) => {};
    await serve(unless(() => new Promise<boolean>((resolve) => (answer = resolve)), byClient));
    const { socket } = await rawClient(server.port);
    socket.write(request("/"));
    await once(server.server, "request");
    socket.destroy();
    await until("the request is over", () => ends === 1);
    answer(false);
    await new Promise((resolve) => setImmediate(resolve));
    expect([errors, handled]).toEqual([[], 0]);
  });

  it("hides no other error", async () => {
    let fail = (_error: Error) => {};
    await serve(() => new Promise((_resolve, reject) => (fail = reject)));
    const { socket } = await rawClient(server.port);
    socket.write(request("/"));
    await once(server.server, "request");
    socket.destroy();
    await until("the request is over", () => ends === 1);
    const lost = new Error("the database is gone");
    fail(lost);
    await until("the error is heard", () => errors.length === 1);
    expect(errors).toEqual([lost]);
  });
});
