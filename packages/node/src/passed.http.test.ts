import type { RequestListener, Server } from "node:http";
import { createGate, createLimiter, fixedWindow, type Gate, type Limiter } from "@sluice/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startHttp, type TestServer } from "../test/servers";
import { until } from "../test/until";
import { createNodeGate } from "./node-gate";
import { createNodeLimits } from "./node-limits";

let server: TestServer<Server>;
let limiter: Limiter;
let gate: Gate;

const perMinute = fixedWindow({ unit: "requests", max: 2, windowMs: 60_000 });
const question = { descriptors: [{ kind: "site", id: "all", limits: [perMinute] }] };
const policy = () => question;

beforeEach(() => {
  limiter = createLimiter();
  gate = createGate({ maxInFlight: 1, queue: { max: 0 } });
});

afterEach(async () => {
  await server.close();
  await until("the slot is back", () => gate.stats().inFlight === 0);
});

const used = async () => (await limiter.peek(question)).statuses[0]?.used;
const ok: RequestListener = (_req, res) => void res.end("ok");
const get = async () => (await fetch(server.origin)).status;

describe("a request that comes again", () => {
  it("is charged once by the same limits, and counted once by the same gate", async () => {
    const limits = createNodeLimits({ limiter, policy });
    const door = createNodeGate({ gate });
    server = await startHttp(door.wrap(limits.wrap(door.wrap(limits.wrap(ok)))));
    expect([await get(), await get(), await get()]).toEqual([200, 200, 429]);
    expect(gate.stats().admitted).toBe(3);
  });

  it("is charged by each of two limits, also if one of them comes again between", async () => {
    const one = createNodeLimits({ limiter, policy });
    const other = createNodeLimits({ limiter, policy });
    server = await startHttp(one.wrap(other.wrap(one.wrap(other.wrap(ok)))));
    expect([await get(), await used()]).toEqual([200, 2]);
  });

  it("is judged again if no limits applied to it the first time", async () => {
    const limits = createNodeLimits({
      limiter,
      policy: (req) => (req.headers["x-known"] === undefined ? null : question),
    });
    const twice = limits.wrap((req, res) => {
      req.headers["x-known"] = "yes";
      limits.wrap(ok)(req, res);
    });
    server = await startHttp(twice);
    expect([await get(), await used()]).toEqual([200, 1]);
  });

  it("is not let through because it was refused before", async () => {
    const limits = createNodeLimits({ limiter, policy });
    server = await startHttp((req, res) => {
      void limits.enter(req, res).then(async (mayGoOn) => {
        if (mayGoOn) res.end("ok");
        else if (await limits.enter(req, res)) throw new Error("let through");
      });
    });
    expect([await get(), await get(), await get()]).toEqual([200, 200, 429]);
    expect(await used()).toBe(2);
  });
});
