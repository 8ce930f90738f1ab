import { readFileSync } from "node:fs";
import { concurrency, createLimiter, fixedWindow, slidingLog } from "@sluice/core";
import { redisStore } from "@sluice/core/redis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pollUntil } from "../../../../tools/redis/poll-until";
import { type RedisServer, startServer } from "../../../../tools/redis/redis-server";
import type { RespConnection } from "../../../../tools/redis/resp-connection";
import { singleClients } from "./executor/clients";

const guide = new URL("../../../../docs/guides/operating-redis.md", import.meta.url);

let server: RedisServer;
let admin: RespConnection;

/** The rights that the guide tells operators to give, after the name and the password. */
function rightsOfTheGuide(): readonly string[] {
  const line = /^ACL SETUSER sluice on >secret (.+)$/m.exec(readFileSync(guide, "utf8"))?.[1];
  return (line ?? "the guide has no such line").split(" ");
}

beforeAll(async () => {
  server = await startServer();
  admin = await server.connect();
  await admin.command("ACL", "SETUSER", "admin", "on", ">admin", "allcommands", "allkeys");
  await admin.command("AUTH", "admin", "admin");
  await admin.command("ACL", "SETUSER", "default", "reset", "on", "nopass", ...rightsOfTheGuide());
});

afterAll(async () => {
  admin.close();
  await server.stop();
});

describe("the rights in the guide for operators", () => {
  it.each(singleClients)("suffice for all commands over $name", async ({ name, make }) => {
    const store = redisStore({ connect: () => make([server.port]), timeoutMs: 1_000 });
    const limiter = createLimiter({ store, onStoreUnavailable: "reject" });
    const slots = concurrency({ max: 5, leaseMs: 40 });
    const limits = [
      slots,
      fixedWindow({ max: 5, windowMs: 60_000 }),
      slidingLog({ max: 5, windowMs: 60_000 }),
    ];
    const descriptors = [{ kind: "client", id: name, limits }];
    const isUp = async () => (await limiter.peek({ descriptors })).statuses[0]?.source === "store";
    await pollUntil(isUp, { what: `${name} is connected` });

    const verdict = await limiter.admit({ descriptors });
    const target = { kind: "client", id: name, limits: [...limits] };
    const undone = await store.undo({
      type: "undo",
      operationId: "never-seen",
      serial: 1,
      targets: [target],
      tombstoneMs: 1_000,
    });
    if (verdict.admitted) await verdict.permit.settle({ requests: 0 });
    await limiter.reset({ descriptors });

    expect(verdict.admitted).toBe(true);
    expect(undone).toEqual({ undone: [false] });
    expect(await admin.command("ACL", "LOG")).toEqual([]);
    await limiter.close();
    await store.close();
  });
});
