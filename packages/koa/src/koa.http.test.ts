import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createLimiter, fixedWindow } from "@sluice/core";
import Koa3 from "koa";
import Koa2 from "koa-2";
import { afterEach, describe, expect, it } from "vitest";
import { koaLimits } from "./index";

let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve) ?? resolve(undefined));
});

async function listen(app: Koa3): Promise<string> {
  server = createServer(app.callback());
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const perMinute = fixedWindow({ unit: "requests", max: 1, windowMs: 60_000, name: "per-minute" });

describe.each([
  ["Koa 2", Koa2],
  ["Koa 3", Koa3],
])("limits of %s", (_name, Koa) => {
  it("let requests through with headers and a verdict, and answer those beyond", async () => {
    const app = new Koa();
    app.use(
      koaLimits({
        limiter: createLimiter(),
        policy: (ctx) => ({
          descriptors: [{ kind: "address", id: ctx.ip, limits: [perMinute] }],
        }),
      }),
    );
    app.use((ctx) => {
      ctx.body = JSON.stringify(ctx.state.verdict?.admitted);
    });
    const origin = await listen(app);
    const first = await fetch(origin);
    expect([first.status, await first.json()]).toEqual([200, true]);
    expect(first.headers.get("ratelimit")).toBe('"per-minute";r=0;t=60');
    const second = await fetch(origin);
    expect(second.status).toBe(429);
    expect(second.headers.get("content-type")).toBe("application/problem+json");
    expect(await second.json()).toMatchObject({ reason: "window_exhausted" });
  });
});
