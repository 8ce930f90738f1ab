import { afterEach, describe, expect, it } from "vitest";
import { type FaultProxy, startFaultProxy } from "../../../../../tools/redis/fault-proxy";
import { freePort } from "../../../../../tools/redis/free-port";
import { pollUntil } from "../../../../../tools/redis/poll-until";
import { type RedisServer, startServer } from "../../../../../tools/redis/redis-server";
import { CallFailure } from "../../../src/redis/executor/call-failure";
import { singleClients } from "./clients";
import { addOne } from "./scripts";
import { clearStages, failureOf, outcomeOf, pause, setStage, whenConnected } from "./stage";

const notSent = { code: "SLUICE_STORE_UNREACHABLE", isRetryable: true };

let server: RedisServer | undefined;
let proxy: FaultProxy | undefined;

async function setServer(): Promise<RedisServer> {
  server = await startServer();
  return server;
}

afterEach(async () => {
  await clearStages();
  await proxy?.stop();
  await server?.stop();
  proxy = undefined;
  server = undefined;
});

describe.each(singleClients)("A connection of $name", ({ make }) => {
  it("that is not there fails calls at once, and comes by itself (F1)", async () => {
    const own = await setServer();
    await own.kill();
    const stage = setStage(() => make([own.port]));
    for (let call = 0; call < 20; call += 1) {
      const startMs = performance.now();
      expect(await failureOf(stage, addOne("n"))).toMatchObject(notSent);
      expect(performance.now() - startMs).toBeLessThan(100);
      await pause(10);
    }
    await own.restart();
    await whenConnected(stage, "n");
    // What failed had not been sent, and is not sent later either.
    expect(Number(await own.command("GET", "n"))).toBe(1);
    expect(stage.ready).toContain("server");
  });

  it("to where nothing will ever be leaves the process alive (F1)", async () => {
    const stage = setStage(async () => make([await freePort()]));
    await pollUntil(() => stage.errors.length > 1, { what: "the client has reported errors" });
    expect(await failureOf(stage, addOne("n"))).toMatchObject(notSent);
  });

  it("that is lost with a reply runs the call once, and says that it does not know (F6)", async () => {
    const own = await setServer();
    proxy = await startFaultProxy(own.port);
    const { port } = proxy;
    const stage = setStage(() => make([port]));
    await whenConnected(stage, "n");
    const lost = proxy.swallowReplies(1);
    const failure = await failureOf(stage, addOne("n"));
    await lost;
    expect(failure).toMatchObject({ code: "SLUICE_STORE_UNREACHABLE", isRetryable: false });
    await whenConnected(stage, "other");
    expect(Number(await own.command("GET", "n"))).toBe(2);
  });

  it("to a server that is killed and started again is back without help (F2)", async () => {
    const own = await setServer();
    const stage = setStage(() => make([own.port]));
    await whenConnected(stage, "n");
    await own.kill();
    const outcomes = new Set<string>();
    for (let call = 0; call < 20; call += 1) {
      const outcome = await outcomeOf(stage, addOne("n"), 300);
      outcomes.add(outcome instanceof CallFailure ? outcome.code : outcome);
      await pause(10);
    }
    expect([...outcomes]).toEqual(["SLUICE_STORE_UNREACHABLE"]);
    await own.restart();
    await whenConnected(stage, "n");
    expect(Number(await own.command("GET", "n"))).toBe(1);
  });

  it("to a server that stands still is back when that goes on (F3)", async () => {
    const own = await setServer();
    const stage = setStage(() => make([own.port]));
    await whenConnected(stage, "n");
    own.pause();
    let sent = 0;
    for (; sent < 5; sent += 1) {
      const outcome = await outcomeOf(stage, addOne("n"), 50);
      const isKnown = outcome instanceof CallFailure && outcome.isRetryable;
      expect(isKnown || typeof outcome === "string").toBe(true);
    }
    own.resume();
    await whenConnected(stage, "after");
    // Without a deadline in the argument they may run late, each at most once.
    expect(Number(await own.command("GET", "n"))).toBeLessThanOrEqual(1 + sent);
  });
});
