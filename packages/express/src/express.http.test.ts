import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createLimiter, fixedWindow } from "@sluice/core";
import express5, { type Express } from "express";
import express4 from "express-4";
import { afterEach, describe, expect, it } from "vitest";
import { expressLimits } from "./index";

let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve) ?? resolve(undefined));
});

async function listen(app: Express): Promise<string> {
  server = createServer(app);
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const perMinute = fixedWindow({ unit: "requests", max: 1, windowMs: 60_000, name: "per-minute" });

describe.each([
  ["Express 4", express4],
  ["Express 5", express5],
])("limits of %s", (_name, express) => {
  it("let requests through with headers and a verdict, and answer those beyond", async () => {
    const app = express();
    app.use(
      expressLimits({
        limiter: createLimiter(),
        policy: (req) => ({
          descriptors: [{ kind: "address", id: req.ip ?? "", limits: [perMinute] }],
        }),
      }),
    );
    app.get("/", (req, res) => res.json(req.verdict?.admitted));
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
