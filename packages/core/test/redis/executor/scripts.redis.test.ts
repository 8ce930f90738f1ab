import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type RedisServer, startServer } from "../../../../../tools/redis/redis-server";
import { singleClients } from "./clients";
import { addOne, addUp, scriptOf } from "./scripts";
import { clearStages, failureOf, setStage, whenConnected } from "./stage";

let server: RedisServer;

beforeAll(async () => {
  server = await startServer();
});

afterEach(async () => {
  await clearStages();
  await server.command("FLUSHALL");
  await server.command("SCRIPT", "FLUSH");
});

afterAll(() => server.stop());

async function countOf(key: string): Promise<number> {
  return Number(await server.command("GET", key));
}

/** How often the server has run a command since CONFIG RESETSTAT. */
async function callsOf(command: string): Promise<number> {
  const stats = String(await server.command("INFO", "commandstats"));
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
}

describe.each(singleClients)("Scripts through $name", ({ make }) => {
  const set = async () => {
    const stage = setStage(() => make([server.port]));
    await whenConnected(stage, "warm");
    return stage;
  };

  it("return texts of any length and character", async () => {
    const { executor } = await set();
    const echo = scriptOf("return ARGV[1]");
    for (const argument of ["", "-5", "9007199254740993", "naïve ✓\r\n\0", "x".repeat(100_000)]) {
      expect(await executor.run({ script: echo, keys: ["k"], argument })).toBe(argument);
    }
  });

  it("return the same in all clients: numbers, lists, nothing (F22)", async () => {
    const { executor } = await set();
    const returned = (body: string) =>
      executor.run({ script: scriptOf(`return ${body}`), keys: ["k"], argument: "" });
    expect(await returned("5")).toBe(5);
    // Nearer to 2^53 the parsers of ioredis 6 and redis 5 and 6 are wrong by one: an integer of
    // that size has to be returned as a text.
    const exact = 2 ** 53 - 64;
    expect(await returned(`{${exact}, ${-exact}}`)).toEqual([exact, -exact]);
    expect(await returned("{1, 'a', '', {-2, 4294967296}}")).toEqual([1, "a", "", [-2, 2 ** 32]]);
    expect(await returned("{}")).toEqual([]);
    expect(await returned("false")).toBeNull();
  });

  it("see all keys and the argument", async () => {
    const { executor } = await set();
    const script = scriptOf("return table.concat(KEYS, ',') .. ';' .. ARGV[1] .. ';' .. #ARGV");
    const reply = await executor.run({ script, keys: ["a", "b", "c"], argument: "d" });
    expect(reply).toBe("a,b,c;d;1");
  });

  it("run once each while the server forgets them again and again (F13)", async () => {
    const { executor } = await set();
    const calls: Promise<unknown>[] = [];
    for (let round = 0; round < 10; round += 1) {
      for (let call = 0; call < 50; call += 1) calls.push(executor.run(addOne("n")));
      // Between the calls of this round and during them.
      await server.command("SCRIPT", "FLUSH");
    }
    const sums = (await Promise.all(calls)).map(Number).sort((a, b) => a - b);
    expect(sums).toEqual(calls.map((_, index) => index + 1));
    expect(await countOf("n")).toBe(calls.length);
  });

  it("are sent again by text by one of the calls that find them missing (F13)", async () => {
    const { executor } = await set();
    await server.command("CONFIG", "RESETSTAT");
    for (let round = 1; round <= 5; round += 1) {
      await server.command("SCRIPT", "FLUSH");
      await Promise.all(Array.from({ length: 100 }, () => executor.run(addOne("n"))));
      expect(await callsOf("eval")).toBe(round);
    }
    expect(await countOf("n")).toBe(500);
  });

  it("are sent without #!lua for good when the server cannot compile that", async () => {
    const { executor } = await set();
    const body = "return tostring(redis.call('INCR', KEYS[1]))";
    for (const firstLine of ["#?lua", "#!none", "#!lua flags=none"]) {
      await server.command("DEL", "n");
      const call = { script: scriptOf(body, firstLine), keys: ["n"], argument: "" };
      expect(await executor.run(call)).toBe("1");
      await server.command("CONFIG", "RESETSTAT");
      expect(await Promise.all([executor.run(call), executor.run(call)])).toEqual(["2", "3"]);
      expect([await callsOf("eval"), await callsOf("evalsha")]).toEqual([0, 2]);
    }
  });

  it("that cannot be compiled in either text fail without having run", async () => {
    const stage = await set();
    const failure = await failureOf(stage, {
      script: scriptOf("return ="),
      keys: ["n"],
      argument: "",
    });
    expect(failure).toMatchObject({ code: "SLUICE_STORE_PROTOCOL", isRetryable: true });
  });

  it("that fail may have run", async () => {
    const stage = await set();
    await server.command("LPUSH", "list", "x");
    const unknown = { code: "SLUICE_STORE_PROTOCOL", isRetryable: false, isTransient: false };
    const failing = [
      { script: addUp, keys: ["list"], argument: "1" },
      { script: scriptOf("error('broken')"), keys: ["n"], argument: "" },
      { script: scriptOf("return redis.error_reply('MINE broken')"), keys: ["n"], argument: "" },
    ];
    for (const call of failing) expect(await failureOf(stage, call)).toMatchObject(unknown);
    expect(await countOf("n")).toBe(0);
  });

  it("after one another and at once keep the order in which they were called", async () => {
    const { executor } = await set();
    const calls = Array.from({ length: 200 }, () => executor.run(addOne("n")));
    expect((await Promise.all(calls)).map(Number)).toEqual(calls.map((_, index) => index + 1));
  });
});
