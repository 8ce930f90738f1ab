import { Children } from "../process/children";
import type { Fault } from "./faults";
import { LoadClient } from "./load-client";
import type { Row } from "./row";
import type { Scenario, Stage } from "./scenario";
import { startGateway, startUpstream } from "./start-server";
import { isAsExpected, summary, tableHead, tablePart } from "./table";
import { Upstream } from "./upstream";
import { warmUp } from "./warm-up";

/** Runs the scenarios one by one and prints their rows. True if every row is as expected. */
export async function runScenarios(scenarios: readonly Scenario[], fault: Fault): Promise<boolean> {
  const children = new Children();
  try {
    const [server, load, prober] = await Promise.all([
      startUpstream(children),
      LoadClient.start(children),
      LoadClient.start(children),
    ]);
    const processes = { upstream: new Upstream(server.port), load, prober };
    const rowsByLetter = new Map<string, readonly Row[]>();
    const startedMs = performance.now();
    console.log(tableHead());
    for (const scenario of scenarios) {
      const rows = await onStage(scenario, { children, fault, ...processes });
      rowsByLetter.set(scenario.letter, rows);
      console.log(tablePart(scenario, rows));
    }
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    console.log(`${summary(rowsByLetter)}   (${seconds} s)`);
    return [...rowsByLetter.values()].flat().every(isAsExpected);
  } finally {
    await children.stopAll();
  }
}

interface Backstage extends Omit<Stage, "startGateway"> {
  readonly children: Children;
  readonly fault: Fault;
}

/** Gives a scenario fresh gateways, and takes them away when it is over. */
async function onStage(scenario: Scenario, backstage: Backstage): Promise<readonly Row[]> {
  const { children, fault, upstream, load, prober } = backstage;
  const gateways: Awaited<ReturnType<typeof startGateway>>[] = [];
  const rows = await scenario.run({
    upstream,
    load,
    prober,
    startGateway: async (settings) => {
      const gateway = await startGateway(
        children,
        fault({ ...settings, upstreamPort: upstream.port }),
      );
      gateways.push(gateway);
      await warmUp(load, gateway.port);
      await upstream.reset();
      return gateway.port;
    },
  });
  await Promise.all(gateways.map(({ child }) => children.stop(child)));
  return rows;
}
