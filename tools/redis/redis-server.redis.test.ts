import { existsSync } from "node:fs";
import { afterEach, describe, expect, inject, it } from "vitest";
import { runCommand } from "../run-command";
import { pollUntil } from "./poll-until";
import { type RedisServer, startServer } from "./redis-server";
import { ReplyError } from "./reply-reader";
import { RespConnection } from "./resp-connection";

let server: RedisServer | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
});

describe("the servers that all tests share", () => {
  it("answer", async () => {
    for (const port of [inject("redisPort"), ...inject("redisClusterPorts")]) {
      const connection = await RespConnection.open(port);
      expect(await connection.command("PING")).toBe("PONG");
      connection.close();
    }
  });
});

describe("a server of one's own", () => {
  it("answers, and refuses what is wrong", async () => {
    server = await startServer();
    expect(await server.command("SET", "n", 5)).toBe("OK");
    expect(await server.command("INCR", "n")).toBe(6);
    await expect(server.command("LPUSH", "n", "x")).rejects.toBeInstanceOf(ReplyError);
  });

  it("listens on the loopback only and keeps nothing on disk", async () => {
    server = await startServer();
    expect(await server.command("CONFIG", "GET", "bind")).toEqual(["bind", "127.0.0.1"]);
    expect(await server.command("CONFIG", "GET", "save")).toEqual(["save", ""]);
    expect(await server.command("CONFIG", "GET", "appendonly")).toEqual(["appendonly", "no"]);
  });

  it("takes further lines of configuration", async () => {
    server = await startServer({ config: ["maxmemory 3mb"] });
    expect(await server.command("CONFIG", "GET", "maxmemory")).toEqual(["maxmemory", "3145728"]);
  });

  it("says what it logged, if it does not start", async () => {
    await expect(startServer({ config: ["no-such-directive 1"] })).rejects.toThrow(
      /no-such-directive/,
    );
  });

  it("is gone after a kill, and back on its port and empty after a restart", async () => {
    server = await startServer();
    await server.command("SET", "k", "v");
    await server.kill();
    expect(server.isAnswering).toBe(false);
    await expect(server.command("GET", "k")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await server.restart();
    expect(await server.command("GET", "k")).toBeNull();
  });

  it("fails the commands under way when it is killed", async () => {
    server = await startServer();
    const blocked = server.command("BLPOP", "list", 0);
    const failure = expect(blocked).rejects.toThrow();
    await server.kill();
    await failure;
  });

  it("answers nothing while it is paused, and all of it after that", async () => {
    server = await startServer();
    await server.command("PING");
    server.pause();
    let isAnswered = false;
    const reply = server.command("INCR", "k").then((value) => {
      isAnswered = true;
      return value;
    });
    // The system still accepts connections in its name.
    const another = await server.connect();
    expect(isAnswered).toBe(false);
    server.resume();
    expect(await reply).toBe(1);
    expect(await another.command("PING")).toBe("PONG");
    another.close();
  });

  it("can be stopped while it is paused, and twice", async () => {
    server = await startServer();
    server.pause();
    await server.stop();
    await server.stop();
    expect(() => server?.pid).toThrow("no server runs");
  });
});

describe("servers whose starter was killed", () => {
  it("end, and leave no folder", async () => {
    const program = [
      `import { startServer } from "./tools/redis/redis-server.ts";`,
      `const server = await startServer();`,
      `const [, folder] = await server.command("CONFIG", "GET", "dir");`,
      `process.stdout.write(JSON.stringify({ port: server.port, folder }), () =>`,
      `  process.kill(process.pid, "SIGKILL"));`,
    ].join("\n");
    const args = ["--import", "tsx", "--input-type=module", "--eval", program];
    const { stdout, output } = await runCommand(process.execPath, args);
    expect(output).toBe(stdout);
    const { port, folder } = JSON.parse(stdout);
    expect(folder).toContain("sluice-redis-");
    await pollUntil(() => !existsSync(folder), { what: "the folder is gone" });
    // A server that is ending may still reset whoever comes.
    const refusal = () => RespConnection.open(port).then(() => undefined, refusedOnly);
    const error = await pollUntil(refusal, { what: "the port is closed" });
    expect(error).toMatchObject({ code: "ECONNREFUSED" });
  });
});

function refusedOnly(error: { readonly code?: string }) {
  return error.code === "ECONNREFUSED" ? error : undefined;
}
