import { concurrency, createGate, createLimiter, type Gate, type Limiter } from "@sluice/core";
import type { Response as ExpressResponse } from "express";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { generations } from "../test/apps";
import { type Served, serve, visit } from "../test/serve";
import { until } from "../test/until";
import { backlogHandler, expressGate, expressLimits } from "./index";

let served: Served | undefined;
let gate: Gate;
let limiter: Limiter;
let closings: string[];

const slot = concurrency({ max: 1, name: "slot" });
const question = { descriptors: [{ kind: "site", id: "all", limits: [slot] }] };

beforeEach(() => {
  closings = [];
  gate = createGate({ maxInFlight: 1, queue: { max: 0 } });
  limiter = createLimiter({
    recorder: {
      record: (event) => {
        if (event.type === "permit_closed") closings.push(event.how);
      },
    },
  });
});

afterEach(async () => {
  await served?.close();
  expect(gate.stats().inFlight).toBe(0);
});

async function slotsTaken(): Promise<number | undefined> {
  return (await limiter.peek(question)).statuses[0]?.used;
}

describe.each(generations)("R031: the end of a response of %s", (_name, express) => {
  it("comes when the client leaves, not when the handler is done", async () => {
    const app = express();
    app.use(expressGate({ gate }), expressLimits({ limiter, policy: () => question }));
    let held: ExpressResponse | undefined;
    app.get("/", (_req, res) => {
      if (held !== undefined) res.send("at once");
      else held = res;
    });
    served = await serve(app);
    await visit(
      served.origin,
      until("it has begun", () => held !== undefined),
    );
    await until("the slot of the gate is back", () => gate.stats().inFlight === 0);
    await until("the slot of the limit is back", async () => (await slotsTaken()) === 0);
    held?.send("late");
    expect((await fetch(served.origin)).status).toBe(200);
    await until("both have ended", () => closings.length === 2);
    expect(closings).toEqual(["released", "released"]);
  });
});

describe.each(generations)("a gate of %s", (_name, express) => {
  it("refuses, and lets paths through that are exempt wherever it is mounted", async () => {
    const app = express();
    const door = expressGate({ gate, exemptPaths: ["/ops/backlog"] });
    const ops = express.Router();
    ops.use(door);
    ops.get("/backlog", backlogHandler(gate));
    ops.get("/other", (_req, res) => res.send("ok"));
    app.use("/ops", ops);
    app.get("/", door, (_req, res) => res.send("ok"));
    served = await serve(app);
    const verdict = await gate.enter();
    const refused = await fetch(served.origin);
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ reason: "queue_full" });
    expect((await fetch(`${served.origin}/ops/other`)).status).toBe(503);
    const backlog = await fetch(`${served.origin}/ops/backlog?now`);
    expect(await backlog.json()).toMatchObject({ admitted_requests: 1, rejected_requests: 2 });
    if (verdict.admitted) verdict.permit.end();
  });

  it("holds one slot for a request that comes through it twice", async () => {
    const app = express();
    const door = expressGate({ gate });
    app.use(door, door);
    app.get("/", (_req, res) => res.json(gate.stats().inFlight));
    served = await serve(app);
    expect(await (await fetch(served.origin)).json()).toBe(1);
    await until("the slot is back", () => gate.stats().inFlight === 0);
  });

  it("passes what its functions throw to next", async () => {
    const app = express();
    const failing = () => {
      throw new Error("of the class");
    };
    app.use(expressGate({ gate, class: failing }));
    app.use(((error, _req, res, _next) => {
      res.status(418).send(error.message);
    }) as import("express").ErrorRequestHandler);
    served = await serve(app);
    const answer = await fetch(served.origin);
    expect([answer.status, await answer.text()]).toEqual([418, "of the class"]);
  });
});
