import { parseArgs } from "node:util";
import { faults, noFault } from "./runner/faults";
import { runScenarios } from "./runner/run-scenarios";
import { scenarios } from "./scenario/scenarios";
import { serve } from "./serve";

const usage = `npm start [-- options]
  --serve          leave the gateway running, with curl lines to try
  --port <number>  with --serve: the gateway's port (default: a free one)
  --only <letters> run some scenarios only: --only ad
  --break <fault>  break something on purpose and see rows fail: ${Object.keys(faults).join(", ")}`;

function readArguments() {
  return parseArgs({
    options: {
      serve: { type: "boolean", default: false },
      port: { type: "string", default: "0" },
      only: { type: "string", default: "abcdef" },
      break: { type: "string" },
      help: { type: "boolean", default: false },
    },
  }).values;
}

async function main(): Promise<number> {
  const options = readArguments();
  const fault = options.break === undefined ? noFault : faults[options.break];
  const chosen = scenarios.filter(({ letter }) => options.only.includes(letter));
  if (options.help || fault === undefined || chosen.length === 0) {
    console.log(usage);
    return options.help ? 0 : 2;
  }
  if (options.serve) return serve(Number(options.port));
  endOnSignal();
  return (await runScenarios(chosen, fault)) ? 0 : 1;
}

/** A run that is interrupted has no result. Its children end with this process. */
function endOnSignal(): void {
  process.once("SIGINT", () => process.exit(130));
  process.once("SIGTERM", () => process.exit(143));
}

process.exitCode = await main();
