import type { ServerResponse } from "node:http";
import { connect, type Http2ServerResponse } from "node:http2";
import {
  type AdaptiveLimit,
  createGate,
  createLimiter,
  fixedWindow,
  type Gate,
  type LimitSample,
} from "@sluice/core";
import { afterEach, describe, expect, it } from "vitest";
import { Held } from "../test/held";
import { startHttp, startHttp2, type TestServer } from "../test/servers";
import { until } from "../test/until";
import { createNodeGate } from "./node-gate";
import { createNodeLimits } from "./node-limits";
import { markDropped, markIgnored } from "./outcome";

let server: TestServer;
let gate: Gate;
let samples: LimitSample[];

/** A limit of two that keeps what it is told. */
function keepingLimit(): AdaptiveLimit {
  samples = [];
  return {
    limit: 2,
    onSample: (sample) => void samples.push(sample),
    onFull: () => {},
    takeProbe: () => false,
    onChange: () => () => {},
    freeze: () => {},
    unfreeze: () => {},
    useStatic: () => {},
  };
}

const outcomes = () => samples.map(({ outcome }) => outcome);

/** A server behind a gate whose slots are held until the first byte. */
async function serve(handler: (res: ServerResponse) => unknown): Promise<void> {
  gate = createGate({ maxInFlight: keepingLimit(), heldUntil: "first-byte" });
  const door = createNodeGate({ gate });
  server = await startHttp(door.wrap((_, res: ServerResponse) => handler(res)));
}

const get = () => fetch(`${server.origin}/`);

afterEach(async () => {
  await server.close();
  await until("every slot is back", () => gate.stats().inFlight === 0);
});

describe("the first byte of an answer", () => {
  it("R029 is one of the body: headers that are flushed before it keep the slot", async () => {
    const held = new Held();
    await serve((res) => {
      res.flushHeaders();
      held.handler(res.req, res);
    });
    const reader = (await get()).body?.getReader();
    expect([gate.stats().inFlight, samples.length]).toEqual([1, 0]);
    await held.untilHolds(1);
    held.write("data: first\n\n");
    await reader?.read();
    expect([gate.stats().inFlight, outcomes()]).toEqual([0, ["success"]]);
    held.release();
    while (!(await reader?.read())?.done) {}
    await until("the response is over", () => gate.stats().admitted === 1);
    expect(outcomes()).toEqual(["success"]);
  });

  it("is the end of an answer that is sent at once, or that has no body", async () => {
    await serve((res) => res.writeHead(204).end());
    await get();
    await until("it is told", () => samples.length > 0);
    expect(outcomes()).toEqual(["success"]);
  });

  it("is no empty piece", async () => {
    const held = new Held();
    await serve((res) => {
      res.write("");
      held.handler(res.req, res);
    });
    const answer = get();
    await held.untilHolds(1);
    expect(samples).toEqual([]);
    held.release();
    expect(await (await answer).text()).toBe("ok");
    expect(outcomes()).toEqual(["success"]);
  });

  it.each([
    { what: "503", answer: (res: ServerResponse) => res.writeHead(503), outcome: "dropped" },
    {
      what: "a mark of load",
      answer: (res: ServerResponse) => markDropped(res),
      outcome: "dropped",
    },
    { what: "a cache", answer: (res: ServerResponse) => markIgnored(res), outcome: "ignored" },
  ])("tells no latency of $what", async ({ answer, outcome }) => {
    await serve((res) => {
      answer(res);
      res.write("a");
      res.end("b");
    });
    await (await get()).text();
    await until("it is told", () => samples.length > 0);
    expect(outcomes()).toEqual([outcome]);
  });

  it("leaves what write and end do, and return, as they are", async () => {
    const returned: unknown[] = [];
    let calledBack = 0;
    await serve((res) => {
      returned.push(res.write("6f6b", "hex", () => calledBack++));
      returned.push(res.end(Buffer.from("!"), () => calledBack++) === res);
    });
    expect(await (await get()).text()).toBe("ok!");
    await until("both have called back", () => calledBack === 2);
    expect(returned).toEqual([true, true]);
  });

  it("is seen of HTTP/2 too", async () => {
    gate = createGate({ maxInFlight: keepingLimit(), heldUntil: "first-byte" });
    const door = createNodeGate({ gate });
    const held = new Held();
    server = await startHttp2(
      door.wrap((req, res: Http2ServerResponse) => {
        res.writeHead(200);
        res.write("first");
        held.handler(req, res);
      }),
    );
    const session = connect(server.origin);
    const stream = session.request({ ":path": "/" });
    await new Promise((resolve) => stream.once("data", resolve));
    expect([gate.stats().inFlight, outcomes()]).toEqual([0, ["success"]]);
    held.release();
    await new Promise((resolve) => stream.once("end", resolve).resume());
    session.close();
  });

  it("is not looked for where it does not matter", async () => {
    gate = createGate({ maxInFlight: 2 });
    const door = createNodeGate({ gate });
    let isWrapped: boolean | undefined;
    server = await startHttp(
      door.wrap((_, res: ServerResponse) => {
        isWrapped = Object.hasOwn(res, "write");
        res.end();
      }),
    );
    await get();
    expect(isWrapped).toBe(false);
  });
});

describe("a refusal by limits behind an adaptive gate", () => {
  it("is no sample of how long answers take", async () => {
    gate = createGate({ maxInFlight: keepingLimit() });
    const door = createNodeGate({ gate });
    const limits = createNodeLimits({
      limiter: createLimiter(),
      policy: () => ({
        descriptors: [
          { kind: "all", id: "all", limits: [fixedWindow({ max: 1, windowMs: 60_000 })] },
        ],
      }),
    });
    server = await startHttp(door.wrap(limits.wrap((_, res: ServerResponse) => res.end("ok"))));
    expect([(await get()).status, (await get()).status]).toEqual([200, 429]);
    await until("both are told", () => samples.length === 2);
    expect(outcomes()).toEqual(["success", "ignored"]);
  });
});
