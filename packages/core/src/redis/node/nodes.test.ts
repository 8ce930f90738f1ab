import { FakeClock, seededRandom } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import {
  connectionLost,
  refused,
  ScriptedExecutor,
} from "../../../test/redis/dispatch/scripted-executor";
import type { CallFailure } from "../executor/call-failure";
import { Nodes } from "./nodes";

const TIMEOUT_MS = 100;

function setNodes() {
  const clock = new FakeClock();
  const executor = new ScriptedExecutor();
  const changes: string[] = [];
  const nodes = new Nodes(clock, seededRandom(1), TIMEOUT_MS, (change, node) =>
    changes.push(`${change} ${node}`),
  );
  const health = nodes.of("a");
  const failOnce = () => nodes.failed("a", health.sent("pass"), executor);
  /** Sends the probe that is due, and returns what ends it. */
  const probe = async () => {
    await clock.advanceAsync(5_000);
    expect(health.breaker.tryPass()).toBe("probe");
    nodes.probe("a", "key", executor);
    const sent = executor.sent.at(-1);
    return {
      answer: async (reply: unknown) => {
        sent?.reply(reply);
        await clock.advanceAsync(0);
      },
      refuse: async (failure: CallFailure) => {
        sent?.fail(failure);
        await clock.advanceAsync(0);
      },
    };
  };
  const open = () => {
    for (let failures = 0; failures < 5; failures += 1) failOnce();
    expect(health.breaker.state).toBe("open");
  };
  return { clock, executor, changes, nodes, health, failOnce, probe, open };
}

describe("A node", () => {
  it("is told lost once and back once, however many calls see it", async () => {
    const { changes, open, failOnce, probe } = setNodes();
    open();
    failOnce();
    expect(changes).toEqual(["opened a"]);
    await (await probe()).refuse(connectionLost);
    await (await probe()).answer([5]);
    expect(changes).toEqual(["opened a", "closed a"]);
  });

  it("is shown with what its breaker says, as long as it is remembered", async () => {
    const { nodes, open, probe } = setNodes();
    expect(nodes.states()).toEqual([{ node: "a", breaker: "closed" }]);
    open();
    nodes.of("b");
    expect(nodes.states()).toEqual([
      { node: "a", breaker: "open" },
      { node: "b", breaker: "closed" },
    ]);
    await probe();
    expect(nodes.states()[0]).toEqual({ node: "a", breaker: "half-open" });
  });

  it("does not come in the way of another", () => {
    const { nodes, open } = setNodes();
    open();
    expect(nodes.of("b").breaker.state).toBe("closed");
  });

  it("that was met first is forgotten for the thousand and first", () => {
    const { nodes, health } = setNodes();
    for (let index = 1; index < 1_000; index += 1) nodes.of(`node-${index}`);
    expect(nodes.of("a")).toBe(health);
    const kept = nodes.of("node-1");
    nodes.of("node-1000");
    expect(nodes.of("node-1")).toBe(kept);
    expect(nodes.of("a")).not.toBe(health);
  });
});

describe("A probe", () => {
  it("calls the script of admit with the key that leads to the node, and asks nothing", async () => {
    const { executor, open, probe } = setNodes();
    open();
    await probe();
    const [{ script, keys, argument } = {}] = executor.sent;
    expect([script?.name, keys, argument]).toEqual(["admit", ["key"], "[[]]"]);
  });

  it("that is answered closes the breaker and tells the server's clock", async () => {
    const { clock, health, open, probe } = setNodes();
    open();
    await (await probe()).answer([70_000]);
    expect(health.breaker.state).toBe("closed");
    expect(health.serverClock.deadlineFor(0)).toBe(70_000);
    expect(clock.isIdle).toBe(true);
  });

  it.each([
    { what: "a text", reply: "OK" },
    { what: "nothing", reply: null },
    { what: "a list of other things", reply: ["x"] },
  ])("that is answered with $what closes it too, and nothing is thrown", async ({ reply }) => {
    const { health, open, probe } = setNodes();
    open();
    await (await probe()).answer(reply);
    expect(health.breaker.state).toBe("closed");
    expect(health.serverClock.deadlineFor(0)).toBe(0);
  });

  it("that is refused leaves it open, and is no trouble of the client", async () => {
    const { executor, changes, health, open, probe } = setNodes();
    open();
    for (let times = 0; times < 5; times += 1) await (await probe()).refuse(refused);
    expect(health.breaker.state).toBe("open");
    expect(executor.troubles).toEqual([]);
    expect(changes).toEqual(["opened a"]);
  });

  it("that breaks leaves it open, and is trouble when that goes on", async () => {
    const { executor, health, open, probe } = setNodes();
    open();
    await (await probe()).refuse(connectionLost);
    expect(health.breaker.state).toBe("open");
    expect(executor.troubles).toEqual(["a"]);
  });

  it("that nobody answers is given up after the time-out, and another one goes later", async () => {
    const { clock, health, open, probe } = setNodes();
    open();
    await probe();
    await clock.advanceAsync(TIMEOUT_MS - 1);
    expect(health.breaker.state).toBe("half-open");
    await clock.advanceAsync(1);
    expect(health.breaker.state).toBe("open");
    await (await probe()).answer([5]);
    expect(health.breaker.state).toBe("closed");
  });

  it("that is answered too late leaves it open, and is no trouble of the client", async () => {
    const { clock, executor, health, changes, open, failOnce, probe } = setNodes();
    open();
    const late = await probe();
    await clock.advanceAsync(TIMEOUT_MS);
    expect(executor.troubles).toEqual(["a"]);
    await late.answer([5]);
    expect(health.breaker.state).toBe("open");
    failOnce();
    expect(executor.troubles).toEqual(["a"]);
    expect(changes).toEqual(["opened a"]);
  });
});

describe("Trouble of a client", () => {
  it("is a call that is unanswered for a second while others fail", async () => {
    const { clock, executor, nodes, health, failOnce } = setNodes();
    const call = health.sent("pass");
    await clock.advanceAsync(100);
    nodes.timedOut("a", call, executor);
    await clock.advanceAsync(899);
    failOnce();
    expect(executor.troubles).toEqual([]);
    await clock.advanceAsync(1);
    failOnce();
    expect(executor.troubles).toEqual(["a"]);
  });

  it("is failing for a second and a half without an answer", async () => {
    const { clock, executor, nodes, health, failOnce } = setNodes();
    failOnce();
    await clock.advanceAsync(1_499);
    failOnce();
    nodes.answered("a", health.sent("pass"));
    failOnce();
    await clock.advanceAsync(1_499);
    failOnce();
    expect(executor.troubles).toEqual([]);
    await clock.advanceAsync(1);
    failOnce();
    expect(executor.troubles).toEqual(["a"]);
  });

  it("is not seen in a command that gives up waiting for another try", async () => {
    const { clock, executor, nodes, health, failOnce } = setNodes();
    const call = health.sent("pass");
    nodes.answered("a", call);
    nodes.timedOut("a", call, executor);
    await clock.advanceAsync(2_000);
    failOnce();
    expect(executor.troubles).toEqual([]);
  });

  it("ends with a new connection, on which old calls are not waited for", async () => {
    const { clock, executor, nodes, health, open, failOnce } = setNodes();
    nodes.timedOut("a", health.sent("pass"), executor);
    open();
    await clock.advanceAsync(900);
    nodes.reconnected("a");
    expect(health.breaker.tryPass()).toBe("probe");
    nodes.probe("a", "key", executor);
    executor.sent[0]?.reply([1]);
    await clock.advanceAsync(200);
    failOnce();
    expect(executor.troubles).toEqual([]);
    expect(health.breaker.state).toBe("closed");
  });

  it("is not asked for by news of a node that nobody called", () => {
    const { nodes } = setNodes();
    expect(() => nodes.reconnected("b")).not.toThrow();
  });
});
