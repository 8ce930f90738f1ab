import { createLimiter } from "@sluice/core";
import { serveAsChild } from "../process/serve-as-child";
import { createGatewayServer } from "./gateway-server";
import { readSettings } from "./gateway-settings";
import { keyLimits } from "./key-limits";
import { sharedLimiter } from "./shared-limiter";

const settings = readSettings(process.argv[2]);
const keys = keyLimits(settings);
const limiter =
  settings.store === "memory"
    ? createLimiter()
    : await sharedLimiter({ ...settings, library: settings.store, url: process.env.REDIS_URL });
serveAsChild(createGatewayServer(settings, { keys, limiter }), settings.port);
