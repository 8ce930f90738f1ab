import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RedisSentinel, startSentinel } from "./redis-sentinel";

let group: RedisSentinel;

beforeAll(async () => {
  group = await startSentinel();
});

afterAll(() => group.stop());

describe("sentinels", () => {
  it("name the new master after a kill, and make the old one its replica", async () => {
    const [first, second] = group.data;
    expect(await group.master()).toBe(first);
    await first?.command("SET", "k", "v");
    expect(await first?.command("WAIT", 1, 5000)).toBe(1);
    await first?.kill();
    const master = await group.master();
    expect(master).toBe(second);
    expect(await master.command("GET", "k")).toBe("v");
    await first?.restart();
    await group.whenHealthy();
    expect(await first?.command("GET", "k")).toBe("v");
  });

  it("all tell where the master is", async () => {
    const { port } = await group.master();
    expect(group.sentinelPorts).toHaveLength(3);
    for (const sentinel of group.sentinels) {
      const address = ["SENTINEL", "GET-MASTER-ADDR-BY-NAME", group.masterName];
      expect(await sentinel.command(...address)).toEqual(["127.0.0.1", String(port)]);
    }
  });
});
