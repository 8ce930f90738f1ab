import { parseArgs } from "node:util";
import { type AdapterName, adapterNames } from "./gateway/adapter/adapter-name";
import type { GatewaySettings } from "./gateway/gateway-settings";
import { faults, noFault } from "./runner/faults";
import { runScenarios } from "./runner/run-scenarios";
import { scenariosOn } from "./scenario/scenarios";
import { serve } from "./serve";

const usage = `npm start [-- options]
  --serve          leave the gateway running, with curl lines to try
  --port <number>  with --serve: the gateway's port (default: a free one)
  --only <letters> run some scenarios only: --only ad
  --adapter <name> through one adapter only: ${adapterNames.join(", ")}
  --break <fault>  break something on purpose and see rows fail: ${Object.keys(faults).join(", ")}
With REDIS_URL=redis://host:port limits count on that server, and the scenarios g, h and i run too.
  --client <name>  the library that talks to it: ioredis (default) or redis`;

function readArguments() {
  return parseArgs({
    options: {
      serve: { type: "boolean", default: false },
      port: { type: "string", default: "0" },
      only: { type: "string", default: "abcdefghijk" },
      adapter: { type: "string" },
      break: { type: "string" },
      client: { type: "string", default: "ioredis" },
      help: { type: "boolean", default: false },
    },
  }).values;
}

/** Where limits count; undefined if the client is not known. */
function storeOf(client: string): GatewaySettings["store"] | undefined {
  if ((process.env.REDIS_URL ?? "") === "") return "memory";
  return client === "ioredis" || client === "redis" ? client : undefined;
}

/** The adapters to measure; undefined if the name is none. */
function adaptersOf(
  name: string | undefined,
): readonly [AdapterName, ...AdapterName[]] | undefined {
  if (name === undefined) return adapterNames;
  const known = adapterNames.find((each) => each === name);
  return known === undefined ? undefined : [known];
}

async function main(): Promise<number> {
  const options = readArguments();
  const fault = options.break === undefined ? noFault : faults[options.break];
  const store = storeOf(options.client);
  const chosen = scenariosOn(store ?? "memory").filter(({ letter }) =>
    options.only.includes(letter),
  );
  const adapters = adaptersOf(options.adapter);
  const isUnclear = !fault || !store || !adapters || chosen.length === 0;
  if (options.help || isUnclear) {
    console.log(usage);
    return options.help ? 0 : 2;
  }
  if (options.serve) return serve({ port: Number(options.port), adapter: adapters[0], store });
  endOnSignal();
  return (await runScenarios(chosen, { adapters, fault, store })) ? 0 : 1;
}

/** A run that is interrupted has no result. Its children end with this process. */
function endOnSignal(): void {
  process.once("SIGINT", () => process.exit(130));
  process.once("SIGTERM", () => process.exit(143));
}

process.exitCode = await main();
