import { randomBytes } from "node:crypto";
import type { GatewaySettings } from "../gateway/gateway-settings";
import type { Children } from "../process/children";
import type { Fault } from "./faults";
import { LoadClient } from "./load-client";
import type { Scenario } from "./scenario";
import { type RunningServer, startGateway, startUpstream } from "./start-server";
import { Upstream } from "./upstream";
import { warmUp } from "./warm-up";

/** All processes of a run, started and warmed up. */
export interface Processes {
  readonly upstream: Upstream;
  readonly load: LoadClient;
  readonly prober: LoadClient;
  /** The gateways of each scenario, in their order. */
  readonly gateways: ReadonlyMap<Scenario, readonly RunningServer[]>;
}

/** How a run differs from the standard one. */
export interface RunOptions {
  /** What is broken on purpose. */
  readonly fault: Fault;
  readonly store: GatewaySettings["store"];
}

/** Starts everything before any clock runs, because processes that start disturb a measurement. */
export async function setUp(
  children: Children,
  scenarios: readonly Scenario[],
  { fault, store }: RunOptions,
): Promise<Processes> {
  // Nobody else's keys, and no old ones: they are left to expire.
  const run = randomBytes(4).toString("hex");
  const [server, load, prober] = await Promise.all([
    startUpstream(children),
    LoadClient.start(children),
    LoadClient.start(children),
  ]);
  const start = async (scenario: Scenario) => {
    const prefix = `llm-gateway:${run}:${scenario.letter}:`;
    const shared = { store, prefix, instances: scenario.gateways.length };
    const settings = scenario.gateways.map((each) =>
      fault({ ...each, ...shared, upstreamPort: server.port }),
    );
    const servers = await Promise.all(settings.map((each) => startGateway(children, each)));
    return [scenario, servers] as const;
  };
  const gateways = new Map(await Promise.all(scenarios.map(start)));
  for (const { port } of [...gateways.values()].flat()) await warmUp(load, port);
  return { upstream: new Upstream(server.port), load, prober, gateways };
}
