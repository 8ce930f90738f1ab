import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { type FaultProxy, startFaultProxy } from "./fault-proxy";
import { pollUntil } from "./poll-until";
import { RespConnection } from "./resp-connection";

const KEY = "fault-proxy";

let direct: RespConnection;
let proxy: FaultProxy;
let client: RespConnection;

beforeEach(async () => {
  direct = await RespConnection.open(inject("redisPort"));
  await direct.command("DEL", KEY);
  proxy = await startFaultProxy(inject("redisPort"));
  client = await RespConnection.open(proxy.port);
});

afterEach(async () => {
  client.close();
  await proxy.stop();
  await direct.command("DEL", KEY);
  direct.close();
});

/** Whether a reply is still missing after the server has answered somebody else. */
async function isUnanswered(reply: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  reply.then(settle, settle);
  for (let round = 0; round < 5; round += 1) await direct.command("PING");
  return !isSettled;
}

describe("a proxy", () => {
  it("forwards", async () => {
    expect(await client.command("INCR", KEY)).toBe(1);
    expect(await direct.command("GET", KEY)).toBe("1");
    expect(proxy.connections).toBe(1);
  });

  it("forwards what does not fit into one packet", async () => {
    const long = "é".repeat(500_000);
    await client.command("SET", KEY, long);
    expect(await client.command("GET", KEY)).toBe(long);
  });

  it("tells the server when a client is gone", async () => {
    client.close();
    await pollUntil(() => proxy.connections === 0, { what: "the connection has ended" });
  });

  it("refuses new connections and keeps the open ones, until it forwards again", async () => {
    await client.command("PING");
    await proxy.refuse();
    await expect(RespConnection.open(proxy.port)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    expect(await client.command("PING")).toBe("PONG");
    await proxy.forward();
    const another = await RespConnection.open(proxy.port);
    expect(await another.command("PING")).toBe("PONG");
    another.close();
  });

  it("accepts and answers nothing as a black hole", async () => {
    await client.command("PING");
    proxy.blackHole();
    const another = await RespConnection.open(proxy.port);
    const replies = [client.command("INCR", KEY), another.command("INCR", KEY)];
    for (const reply of replies) expect(await isUnanswered(reply)).toBe(true);
    expect(await direct.command("GET", KEY)).toBeNull();
    await proxy.forward();
    expect((await Promise.all(replies)).sort()).toEqual([1, 2]);
    another.close();
  });

  it("drops what a black hole has held, if it is reset", async () => {
    await client.command("PING");
    proxy.blackHole();
    const reply = client.command("INCR", KEY);
    const failure = expect(reply).rejects.toThrow();
    expect(await isUnanswered(reply)).toBe(true);
    proxy.resetAll();
    await failure;
    await proxy.forward();
    client = await RespConnection.open(proxy.port);
    expect(await client.command("GET", KEY)).toBeNull();
  });

  it("delays requests: the server gets them late", async () => {
    proxy.delayRequests(60_000);
    const reply = client.command("INCR", KEY);
    const failure = expect(reply).rejects.toThrow();
    expect(await isUnanswered(reply)).toBe(true);
    expect(await direct.command("GET", KEY)).toBeNull();
    proxy.resetAll();
    await failure;
  });

  it("delays replies: the server gets requests at once", async () => {
    await client.command("PING");
    proxy.delayReplies(60_000);
    const reply = client.command("INCR", KEY);
    const failure = expect(reply).rejects.toThrow();
    await pollUntil(async () => (await direct.command("GET", KEY)) === "1", {
      what: "the server has counted",
    });
    expect(await isUnanswered(reply)).toBe(true);
    proxy.resetAll();
    await failure;
  });

  it("delays by the time it was told", async () => {
    proxy.delayRequests(20);
    proxy.delayReplies(30);
    const startMs = performance.now();
    expect(await client.command("INCR", KEY)).toBe(1);
    // A timer may fire a fraction of a millisecond early.
    expect(performance.now() - startMs).toBeGreaterThan(48);
  });

  it("keeps the order when a delay becomes shorter", async () => {
    const order: string[] = [];
    proxy.delayReplies(50);
    const first = client.command("INCR", KEY).then(() => order.push("first"));
    await pollUntil(async () => (await direct.command("GET", KEY)) === "1", {
      what: "the server has counted",
    });
    proxy.delayReplies(0);
    await Promise.all([first, client.command("PING").then(() => order.push("second"))]);
    expect(order).toEqual(["first", "second"]);
  });

  it("swallows exactly so many replies, then closes the connection and serves again", async () => {
    expect(await client.command("INCR", KEY)).toBe(1);
    const swallowed = proxy.swallowReplies(2);
    const replies = [client.command("INCR", KEY), client.command("INCR", KEY)];
    const failures = Promise.all(replies.map((reply) => expect(reply).rejects.toThrow("closed")));
    await swallowed;
    await failures;
    client = await RespConnection.open(proxy.port);
    expect(await client.command("INCR", KEY)).toBe(4);
  });

  it("swallows a reply that comes in one packet with others", async () => {
    const swallowed = proxy.swallowReplies(1);
    const replies = ["a", "b"].map((text) => client.command("APPEND", KEY, text));
    const failures = Promise.all(replies.map((reply) => expect(reply).rejects.toThrow("closed")));
    await swallowed;
    await failures;
    await pollUntil(async () => (await direct.command("GET", KEY)) === "ab", {
      what: "both commands were executed",
    });
  });

  it("resets all connections and serves new ones", async () => {
    await client.command("PING");
    proxy.resetAll();
    await pollUntil(() => !client.isOpen, { what: "the client has noticed" });
    await expect(client.command("PING")).rejects.toMatchObject({ code: "ECONNRESET" });
    client = await RespConnection.open(proxy.port);
    expect(await client.command("PING")).toBe("PONG");
  });
});
