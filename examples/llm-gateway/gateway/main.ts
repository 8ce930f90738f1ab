import { createLimiter } from "@sluice/core";
import { serveAsChild } from "../process/serve-as-child";
import { DecidedBy } from "./decided-by";
import { createGatewayServer } from "./gateway-server";
import { readSettings } from "./gateway-settings";
import { exampleKeys } from "./keys";
import { redisLimiter } from "./redis-limiter";

const settings = readSettings(process.argv[2]);
const keys = exampleKeys(settings);
const decidedBy = new DecidedBy();
const { store: library } = settings;
const limiter =
  library === "memory"
    ? createLimiter({ recorder: decidedBy })
    : await redisLimiter({
        ...settings,
        library,
        url: process.env.REDIS_URL,
        recorder: decidedBy,
      });
serveAsChild(createGatewayServer(settings, { keys, limiter, decidedBy }), settings.port);
