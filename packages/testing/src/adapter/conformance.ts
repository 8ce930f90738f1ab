import assert from "node:assert/strict";
import type { AdapterCase } from "./adapter-case";
import type { AdapterProtocol } from "./adapter-scenario";
import {
  type AdapterCapability,
  type AdapterUnderTest,
  adapterCapabilities,
} from "./adapter-under-test";
import { caseGroups } from "./cases/case-groups";
import type { ConformanceRunner } from "./runner";
import { AdapterTrial } from "./world/adapter-trial";

const protocols = [
  ["http1", "HTTP/1.1"],
  ["http2", "HTTP/2"],
] as const satisfies readonly (readonly [AdapterProtocol, string])[];

/**
 * Defines the tests of an adapter: what has to be so behind every framework, over real
 * connections on 127.0.0.1. Every test starts a server of its own and fails if a permit was not
 * given back exactly once, or the process saw an unhandled rejection or a leak of listeners.
 *
 * What the adapter lacks is left out, and printed with the reason.
 *
 * @param print takes the lines that say what is left out; by default they go to the standard
 *   output.
 * @throws AssertionError if a capability is unknown, or lacking without a reason.
 */
export function describeAdapterConformance(
  adapter: AdapterUnderTest,
  { describe, it }: ConformanceRunner,
  print: (line: string) => void = (line) => void process.stdout.write(`${line}\n`),
): void {
  const { name, lacks = {} } = adapter;
  for (const [capability, reason] of Object.entries(lacks)) {
    assert.ok(adapterCapabilities.includes(capability as AdapterCapability), capability);
    assert.ok(reason, `${name} lacks ${capability}: expected a reason`);
    print(`${name} lacks ${capability}: ${reason}`);
  }
  for (const [protocol, shown] of protocols) {
    if (protocol in lacks) continue;
    const isLacking = (needs: AdapterCapability) =>
      needs in lacks && (needs !== "http2-head" || protocol === "http2");
    const applies = (each: AdapterCase) =>
      (each.protocol ?? protocol) === protocol && !(each.needs && isLacking(each.needs));
    for (const [group, cases] of Object.entries(caseGroups)) {
      const applicable = cases.filter(applies);
      if (applicable.length === 0) continue;
      describe(`${name} over ${shown}, ${group}:`, () => {
        for (const each of applicable) {
          it(`${each.name} [${name}, ${shown}]`, () => runCase(adapter, protocol, each));
        }
      });
    }
  }
}

async function runCase(
  adapter: AdapterUnderTest,
  protocol: AdapterProtocol,
  { run }: AdapterCase,
): Promise<void> {
  const trial = new AdapterTrial(adapter, protocol);
  try {
    await run(trial);
  } catch (error) {
    // What the case found says more than what became of the server after it.
    await trial.abandon();
    throw error;
  }
  await trial.finish();
}
