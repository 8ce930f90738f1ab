import { parseArgs } from "node:util";
import { overloadScenarios } from "@sluice/testing";
import { accept, judgementText } from "./simulate/accept";
import { limitOf } from "./simulate/limits";
import { variantsOf } from "./simulate/variations";

const usage = `pnpm simulate accept --limit name [--only A,B] [--seeds 20] [--variants]`;

const options = {
  limit: { type: "string" },
  only: { type: "string" },
  seeds: { type: "string" },
  variants: { type: "boolean" },
} as const;

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({ allowPositionals: true, options });
  if (positionals[0] !== "accept" || values.limit === undefined) {
    console.error(usage);
    return 2;
  }
  const limit = await limitOf(values.limit);
  const only = values.only?.split(",");
  let [met, all] = [0, 0];
  for (const published of overloadScenarios) {
    if (only?.includes(published.name) === false) continue;
    if ((published.expectations ?? []).length === 0) continue;
    const scenarios = values.variants === true ? variantsOf(published) : [published];
    for (const scenario of scenarios) {
      const { judgements } = accept(scenario, limit, Number(values.seeds ?? 20));
      const missed = judgements.filter((each) => !each.isMet);
      all += judgements.length;
      met += judgements.length - missed.length;
      const shown = values.variants === true ? missed : judgements;
      const verdict = missed.length === 0 ? "ok" : "NOT";
      console.log(`${scenario.name.padEnd(40)} ${verdict}`);
      for (const each of shown) console.log(`    ${judgementText(each)}`);
    }
  }
  console.log(`${met} of ${all} expectations are met`);
  return met === all ? 0 : 1;
}

process.exitCode = await main();
