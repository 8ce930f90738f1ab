import type { IncomingMessage, RequestListener, Server } from "node:http";
import { createLimiter, fixedWindow, type Limiter } from "@sluice/core";
import { afterEach, describe, expect, it } from "vitest";
import { rawClient, request } from "../test/raw-client";
import { startHttp, type TestServer } from "../test/servers";
import { until } from "../test/until";
import type { Ended } from "./ended";
import type { RefundWhen } from "./limits-options";
import { createNodeLimits } from "./node-limits";
import { permitOf } from "./verdict-of";

let server: TestServer<Server>;
let limiter: Limiter;
let ends: Ended<IncomingMessage>[];
let errors: unknown[];

const perMinute = fixedWindow({ unit: "requests", max: 10, windowMs: 60_000 });
const question = { descriptors: [{ kind: "site", id: "all", limits: [perMinute] }] };

/** The path is the status that the handler answers with, unless it is given. */
const answer: RequestListener = (req, res) => {
  res.statusCode = Number(req.url?.slice(1));
  res.end("answer");
};

async function serve(refundWhen: RefundWhen<IncomingMessage>, handler = answer): Promise<void> {
  ends = [];
  errors = [];
  limiter = createLimiter();
  const limits = createNodeLimits<IncomingMessage>({
    limiter,
    policy: () => question,
    refundWhen: (ended) => {
      ends.push(ended);
      return refundWhen(ended);
    },
    onError: (error) => errors.push(error),
  });
  server = await startHttp(limits.wrap(handler));
}

afterEach(() => server.close());

const used = async () => (await limiter.peek(question)).statuses[0]?.used;

/** Asks for each path in turn, and waits until each request that was admitted has ended. */
async function get(...paths: string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const path of paths) {
    const before = ends.length;
    const { status } = await fetch(`${server.origin}${path}`);
    statuses.push(status);
    if (status !== 429) await until("it has ended", () => ends.length > before);
  }
  return statuses;
}

describe("a charge", () => {
  it("E-24: is refunded where only failures count, and kept for a failure", async () => {
    await serve(({ status }) => status < 400);
    await get("/200", "/201", "/401", "/200");
    expect(await used()).toBe(1);
    expect(ends.map(({ status, isComplete, outcome }) => [status, isComplete, outcome])).toEqual([
      [200, true, "success"],
      [201, true, "success"],
      [401, true, "success"],
      [200, true, "success"],
    ]);
    expect(ends[0]?.request.url).toBe("/200");
    expect(ends[0]?.response.statusCode).toBe(200);
  });

  it("R090: is not touched by rejections: 10 admitted, 5 rejected, 10 used", async () => {
    await serve(({ status }) => status >= 500);
    const statuses = await get(...Array.from({ length: 15 }, () => "/400"));
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
    expect([await used(), ends.length]).toEqual([10, 10]);
  });

  it("E-26: is told apart when the client leaves while the handler hangs", async () => {
    await serve(
      ({ isComplete }) => !isComplete,
      () => {},
    );
    const client = await rawClient(server.port);
    client.send(request("/hang"));
    await until("it is charged", async () => (await used()) === 1);
    client.socket.destroy();
    await until("it has ended", () => ends.length === 1);
    expect(ends[0]).toMatchObject({ isComplete: false, outcome: "ignored" });
    await until("it is refunded", async () => (await used()) === 0);
  });

  it("is refunded whole, whatever usage was noted", async () => {
    await serve(
      () => true,
      (req, res) => {
        permitOf(req)?.usage({ requests: 3 });
        res.end();
      },
    );
    await get("/");
    await until("it is refunded", async () => (await used()) === 0);
  });

  it("is refunded if the handler asked for it, whatever is said here", async () => {
    await serve(
      () => false,
      (req, res) => {
        permitOf(req)?.refundAtEnd();
        res.end();
      },
    );
    await get("/");
    await until("it is refunded", async () => (await used()) === 0);
  });

  it("is not asked about once the handler has closed the permit", async () => {
    await serve(
      () => true,
      (req, res) => {
        void permitOf(req)?.settle({ requests: 2 });
        res.end();
      },
    );
    await fetch(server.origin);
    await until("it is settled", async () => (await used()) === 2);
    expect(ends).toEqual([]);
  });

  it.each([
    ["an object", () => ({}), "object"],
    ["a promise", () => Promise.resolve(true), "object"],
    ["a text", () => "no", "string"],
    ["nothing", () => undefined, "undefined"],
  ])("R090: stays, and is told as an error, if the answer is %s", async (_what, says, type) => {
    await serve(says as never);
    await get("/200");
    expect(await used()).toBe(1);
    expect(errors.map(String)).toEqual([
      `TypeError: refundWhen: expected true or false, received ${type}`,
    ]);
  });

  it("stays, and the error is told, if the function throws", async () => {
    await serve(() => {
      throw new Error("of refundWhen");
    });
    expect(await get("/200")).toEqual([200]);
    expect([await used(), errors.map(String)]).toEqual([1, ["Error: of refundWhen"]]);
  });
});
