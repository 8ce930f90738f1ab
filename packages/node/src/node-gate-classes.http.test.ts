import type { IncomingMessage, ServerResponse } from "node:http";
import { createGate, type Gate, type GateOptions, InvalidOptionsError } from "@sluice/core";
import { afterEach, describe, expect, it } from "vitest";
import { Held } from "../test/held";
import { startHttp, type TestServer } from "../test/servers";
import { until } from "../test/until";
import type { NodeRequest } from "./message";
import { createNodeGate, type NodeGateOptions } from "./node-gate";

let server: TestServer;
let gate: Gate;
let held: Held;

async function serve(options: GateOptions, adapter: Omit<NodeGateOptions, "gate">): Promise<void> {
  held = new Held();
  gate = createGate(options);
  const door = createNodeGate({ gate, ...adapter });
  server = await startHttp(
    door.wrap((req: IncomingMessage, res: ServerResponse) => held.handler(req, res)),
  );
}

const get = (path: string, init?: RequestInit) => fetch(`${server.origin}${path}`, init);

afterEach(async () => {
  held.release();
  await server.close();
  await until("every slot is back", () => gate.stats().inFlight + gate.stats().queued === 0);
});

const classes = { interactive: { reserved: 1 }, batch: {} };
const byPath = { class: ({ url }: NodeRequest) => (url === "/batch" ? "batch" : undefined) };

describe("classes and fairness keys of requests", () => {
  it("decide what a request may have: batch cannot take the reserved slot", async () => {
    await serve({ maxInFlight: 2, queue: { max: 0 }, classes }, byPath);
    const first = get("/batch");
    await held.untilHolds(1);
    expect((await get("/batch")).status).toBe(503);
    const interactive = get("/");
    await held.untilHolds(2);
    expect(gate.stats().classes).toMatchObject({
      interactive: { inFlight: 1 },
      batch: { inFlight: 1, rejected: 1 },
    });
    held.release();
    expect([(await first).status, (await interactive).status]).toEqual([200, 200]);
  });

  it("let a client of a waiting class leave, although a slot is free for another one", async () => {
    await serve({ maxInFlight: 2, queue: { max: 5 }, classes }, byPath);
    const first = get("/batch");
    await held.untilHolds(1);
    const controller = new AbortController();
    const leaving = get("/batch", { signal: controller.signal });
    await until("it waits", () => gate.stats().queued === 1);
    controller.abort();
    await expect(leaving).rejects.toThrow();
    await until("it has left", () => gate.stats().queued === 0);
    held.release();
    expect((await first).status).toBe(200);
  });

  it("let tenants take turns", async () => {
    const fairnessKey = ({ url }: NodeRequest) => url?.split("/")[1];
    await serve({ maxInFlight: 1, queue: { max: 20, timeoutMs: 10_000 } }, { fairnessKey });
    const order: string[] = [];
    const ask = (path: string) => get(path).then(() => order.push(path));
    const all = [ask("/a/0")];
    await held.untilHolds(1);
    for (let index = 1; index <= 5; index++) {
      all.push(ask(`/a/${index}`));
      await until("it waits", () => gate.stats().queued === index);
    }
    all.push(ask("/b/1"));
    await until("it waits", () => gate.stats().queued === 6);
    for (let count = 0; count < 7; count++) {
      await held.untilHolds(1);
      held.release(1);
      await until("it is answered", () => order.length > count);
    }
    await Promise.all(all);
    expect(order.indexOf("/b/1")).toBe(2);
  });

  it.each([
    { why: "an unknown class", adapter: { class: () => "bulk" } },
    {
      why: "an error of the function",
      adapter: {
        fairnessKey: () => {
          throw new Error("no tenant");
        },
      },
    },
  ])("answer 500 to $why, and tell onError", async ({ adapter }) => {
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    await serve({ maxInFlight: 2, classes }, { ...adapter, onError });
    expect((await get("/")).status).toBe(500);
    expect(errors).toHaveLength(1);
    expect(gate.stats().admitted).toBe(0);
  });

  it("are functions", async () => {
    await serve({ maxInFlight: 1 }, {});
    const bad = { gate, class: "batch", fairnessKey: 5 } as unknown as NodeGateOptions;
    expect(() => createNodeGate(bad)).toThrow(InvalidOptionsError);
    expect(() => createNodeGate(bad)).toThrow(/class.*fairnessKey/s);
  });
});
