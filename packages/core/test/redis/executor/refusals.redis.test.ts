import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { pollUntil } from "../../../../../tools/redis/poll-until";
import { type RedisServer, startServer } from "../../../../../tools/redis/redis-server";
import { singleClients } from "./clients";
import { addOne } from "./scripts";
import { clearStages, failureOf, outcomeOf, pause, setStage, whenConnected } from "./stage";

const refused = { code: "SLUICE_STORE_REFUSED", isRetryable: true, isTransient: false };
const unreachable = { code: "SLUICE_STORE_UNREACHABLE", isRetryable: true };

let server: RedisServer;

beforeAll(async () => {
  server = await startServer({ config: ["busy-reply-threshold 10"] });
});

afterEach(async () => {
  await clearStages();
  await server.command("FLUSHALL");
});

afterAll(() => server.stop());

describe.each(singleClients)("Through $name a server refuses", ({ make }) => {
  const set = async () => {
    const stage = setStage(() => make([server.port]));
    await whenConnected(stage, "n");
    return stage;
  };

  /** Calls in a state of the server, checks that nothing ran, and that all is well afterwards. */
  const expectRefusal = async (
    enter: readonly (string | number)[],
    leave: readonly (string | number)[],
    expected: object,
  ) => {
    const stage = await set();
    await server.command(...enter);
    try {
      expect(await failureOf(stage, addOne("n"))).toMatchObject(expected);
    } finally {
      await server.command(...leave);
    }
    expect(await outcomeOf(stage, addOne("n"))).toBe("2");
  };

  it("for lack of memory (F17)", async () => {
    const config = ["CONFIG", "SET", "maxmemory"];
    await expectRefusal([...config, 1], [...config, 0], refused);
  });

  it("for lack of replicas (F21)", async () => {
    const config = ["CONFIG", "SET", "min-replicas-to-write"];
    await expectRefusal([...config, 1], [...config, 0], refused);
  });

  it("for lack of permission", async () => {
    const user = ["ACL", "SETUSER", "default"];
    await expectRefusal([...user, "-evalsha"], [...user, "+evalsha"], refused);
  });

  it("as a replica (F26)", async () => {
    const replicaOf = ["REPLICAOF", "127.0.0.1", 1];
    await expectRefusal(replicaOf, ["REPLICAOF", "NO", "ONE"], refused);
  });

  it("while another script runs (F19)", async () => {
    const stage = await set();
    const other = await server.connect();
    const loop = other.command("EVAL", "while true do end", 0).catch(() => "killed");
    const isBusy = async () => String(await server.command("PING").catch(String)).includes("BUSY");
    try {
      await pollUntil(isBusy, { what: "the server is busy" });
      const transient = { code: "SLUICE_STORE_REFUSED", isRetryable: true, isTransient: true };
      expect(await failureOf(stage, addOne("n"))).toMatchObject(transient);
    } finally {
      await server.command("SCRIPT", "KILL");
    }
    expect(await loop).toBe("killed");
    other.close();
    await whenConnected(stage, "n");
  });

  it("whoever has the wrong password, without a loop of tries (F10)", async () => {
    await server.command("CONFIG", "SET", "requirepass", "secret");
    const own = await server.connect();
    await own.command("AUTH", "secret");
    const stage = setStage(() => make([server.port]));
    try {
      const startMs = performance.now();
      while (performance.now() < startMs + 600) {
        expect(await failureOf(stage, addOne("n"))).toMatchObject(unreachable);
        await pause(10);
      }
      const tries = /total_connections_received:(\d+)/;
      const stats = tries.exec(String(await own.command("INFO", "stats")));
      expect(Number(stats?.[1])).toBeLessThan(200);
      expect(await own.command("EXISTS", "n")).toBe(0);
    } finally {
      await own.command("CONFIG", "SET", "requirepass", "");
      own.close();
    }
    await whenConnected(stage, "n");
  });
});
