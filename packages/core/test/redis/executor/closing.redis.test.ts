import { systemClock, systemRandom } from "@sluice/core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { pollUntil } from "../../../../../tools/redis/poll-until";
import { type RedisServer, startServer } from "../../../../../tools/redis/redis-server";
import { ManagedClient } from "../../../src/redis/executor/managed-client";
import { singleClients } from "./clients";
import { addOne } from "./scripts";
import { clearStages, failureOf, outcomeOf, setStage, whenConnected } from "./stage";

let server: RedisServer;

beforeAll(async () => {
  server = await startServer();
});

afterEach(clearStages);

afterAll(() => server.stop());

async function connections(): Promise<number> {
  return String(await server.command("CLIENT", "LIST"))
    .trim()
    .split("\n").length;
}

/** Waits until only the test itself is connected. */
async function whenAlone(): Promise<void> {
  await pollUntil(async () => (await connections()) === 1, { what: "all connections are closed" });
}

describe.each(singleClients)("Closing $name", ({ make }) => {
  it("lets calls under way be answered, and ends the connections (F12)", async () => {
    const stage = setStage(() => make([server.port]));
    await whenConnected(stage, "n");
    const calls = Array.from({ length: 10 }, () => outcomeOf(stage, addOne("n"), 5_000));
    await stage.executor.close();
    for (const outcome of await Promise.all(calls)) expect(typeof outcome).toBe("string");
    await stage.executor.close();
    await whenAlone();
    expect(await failureOf(stage, addOne("n"))).toMatchObject({ isRetryable: true });
  });

  it("does not wait for a server that stands still", async () => {
    const stage = setStage(() => make([server.port]));
    await whenConnected(stage, "n");
    server.pause();
    const call = outcomeOf(stage, addOne("n"), 5_000);
    await stage.executor.close();
    expect(await call).not.toBe("no reply");
    server.resume();
    await whenAlone();
  });

  it("leaves a client alone that is not the store's", async () => {
    const client = make([server.port]);
    const options = { clock: systemClock(), random: systemRandom(), closesClient: false };
    const listening = { onError: () => {}, onReady: () => {} };
    const open = () => {
      const executor = new ManagedClient({ connect: () => client, ...options, ...listening });
      return { executor, errors: [], ready: [], clients: [client] };
    };
    const first = open();
    await whenConnected(first, "n");
    await first.executor.close();
    const second = setStage(() => client);
    await whenConnected(second, "n");
  });
});
