import type { Server } from "node:http";
import { createLimiter, type Limiter, type Recorder } from "@sluice/core";
import { serveAsChild } from "../process/serve-as-child";
import { DecidedBy } from "./decided-by";
import { createGatewayServer } from "./gateway-server";
import { type GatewaySettings, readSettings } from "./gateway-settings";
import { exampleKeys } from "./keys";
import { redisLimiter } from "./redis-limiter";

/** One gateway per settings, which share nothing but this process. */
async function start(settings: GatewaySettings): Promise<Server> {
  const keys = exampleKeys(settings);
  const decidedBy = new DecidedBy();
  const limiter = await limiterOf(settings, decidedBy);
  return createGatewayServer(settings, { keys, limiter, decidedBy });
}

async function limiterOf(settings: GatewaySettings, recorder: Recorder): Promise<Limiter> {
  const { store: library } = settings;
  if (library === "memory") return createLimiter({ recorder });
  return redisLimiter({ ...settings, library, url: process.env.REDIS_URL, recorder });
}

const gateways = readSettings(process.argv[2]).map(async (settings) => {
  return { server: await start(settings), port: settings.port };
});
await serveAsChild(await Promise.all(gateways));
