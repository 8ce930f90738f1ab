import type { RequestListener, Server } from "node:http";
import { concurrency, createGate, createLimiter, type Gate, type Limiter } from "@sluice/core";
import { afterEach, describe, expect, it } from "vitest";
import { rawClient, request } from "../test/raw-client";
import { startHttp, type TestServer } from "../test/servers";
import { until } from "../test/until";
import type { OnError } from "./handler-error";
import { createNodeGate } from "./node-gate";
import { createNodeLimits } from "./node-limits";
import { permitOf } from "./verdict-of";

let server: TestServer<Server>;
let gate: Gate;
let limiter: Limiter;
let errors: unknown[];

/**
 * One slot at the gate and one at the limiter, so that a leak of either shows in the next answer.
 */
async function serve(handler: RequestListener, options: { onError?: OnError } = {}): Promise<void> {
  errors = [];
  gate = createGate({ maxInFlight: 1, queue: { max: 0 } });
  limiter = createLimiter();
  const slot = concurrency({ max: 1 });
  const onError: OnError = options.onError ?? ((error) => errors.push(error));
  const limits = createNodeLimits({
    limiter,
    policy: () => ({ descriptors: [{ kind: "all", id: "1", limits: [slot] }] }),
    onError,
  });
  server = await startHttp(
    createNodeGate({ gate, outcomeOf: throwing, onError }).wrap(
      limits.wrap((req, res) => (req.url === "/plain" ? res.end("ok") : handler(req, res))),
    ),
  );
}

function throwing(): never {
  throw new Error("from a callback");
}

afterEach(async () => {
  await server.close();
  await limiter.close();
});

const get = (path: string) => fetch(`${server.origin}${path}`);

async function expectNothingHeld(): Promise<void> {
  await until("both slots are back", () => gate.stats().inFlight + limiter.heldLeases === 0);
  expect((await get("/plain")).status).toBe(200);
  await until("both slots are back again", () => gate.stats().inFlight === 0);
}

describe("a handler that fails", () => {
  const failures: readonly (readonly [string, RequestListener, number])[] = [
    [
      "throws",
      () => {
        throw new Error("from the handler");
      },
      500,
    ],
    ["rejects", () => Promise.reject(new Error("from the handler")) as never, 500],
    [
      "gives up on its upstream",
      async (_req, res) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        res.statusCode = 504;
        res.end();
      },
      504,
    ],
    [
      "finds the body invalid",
      (req, res) => {
        req.resume().once("end", () => {
          res.statusCode = 400;
          res.end();
        });
      },
      400,
    ],
  ];

  it.each(failures)("R018: keeps no slot when it %s", async (_, handler, status) => {
    await serve(handler);
    for (let round = 0; round < 5; round++) {
      expect((await get("/")).status).toBe(status);
      await expectNothingHeld();
    }
    expect(errors).toHaveLength(status === 500 ? 5 : 0);
  });

  it("R018: keeps no slot when the error handler fails too", async () => {
    await serve(() => throwing(), { onError: throwing });
    for (let round = 0; round < 5; round++) {
      const answer = await get("/");
      expect([answer.status, await answer.text()]).toEqual([500, "Internal Server Error\n"]);
      await expectNothingHeld();
    }
  });

  it("gets a plain 500 without the fields that it had prepared", async () => {
    await serve((_req, res) => {
      res.setHeader("content-encoding", "gzip");
      res.setHeader("content-length", "7");
      res.setHeader("cache-control", "max-age=600");
      throw new Error("from the handler");
    });
    const answer = await get("/");
    expect(answer.status).toBe(500);
    expect(answer.headers.get("content-type")).toBe("text/plain");
    expect(answer.headers.has("content-encoding")).toBe(false);
    expect(answer.headers.has("cache-control")).toBe(false);
    expect(await answer.text()).toBe("Internal Server Error\n");
  });

  it("has its answer broken off if it had begun, so that nobody takes it for a whole one", async () => {
    await serve((_req, res) => {
      res.write("half");
      throw new Error("from the handler");
    });
    const client = await rawClient(server.port);
    client.send(request("/"));
    await until("the connection is over", () => client.socket.destroyed);
    expect(client.received()).not.toContain("\r\n0\r\n");
    await expectNothingHeld();
  });

  it("keeps the answer that it had ended before it failed", async () => {
    await serve((_req, res) => {
      res.end("done");
      throw new Error("afterwards");
    });
    const answer = await get("/");
    expect([answer.status, await answer.text()]).toEqual([200, "done"]);
    expect(errors).toEqual([new Error("afterwards")]);
  });

  it("is told to the process's warnings if nobody else wants to hear of it", async () => {
    await serve(() => {});
    const listener = createNodeGate({ gate }).wrap(() => throwing());
    server.server.removeAllListeners("request").on("request", listener);
    const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
    expect((await get("/")).status).toBe(500);
    expect(await warned).toMatchObject({ name: "SluiceWarning", code: "SLUICE_HANDLER_ERROR" });
    expect((await warned).message).toContain("from a callback");
  });

  it("can be answered for by onError, which may take its time", async () => {
    await serve(() => throwing(), {
      onError: async (_error, _req, res) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        res.statusCode = 418;
        res.end();
      },
    });
    expect((await get("/")).status).toBe(418);
  });

  it("R020: gives each slot back once, whatever signals come and whoever releases too", async () => {
    await serve((req, res) => {
      const permit = permitOf(req);
      res.end("ok");
      res.once("close", () => {
        res.emit("close");
        req.emit("close");
        for (let times = 0; times < 3; times++) void permit?.release();
      });
    });
    expect((await get("/")).status).toBe(200);
    await expectNothingHeld();
    const held: (() => void)[] = [];
    server.server.removeAllListeners("request").on("request", (req, res) => {
      void createNodeGate({ gate })
        .enter(req, res)
        .then((mayGoOn) => mayGoOn && held.push(() => res.end()));
    });
    const both = [get("/1"), get("/2")];
    expect((await Promise.race(both)).status).toBe(503);
    for (const end of held) end();
    const statuses = (await Promise.all(both)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 503]);
  });
});
