import { randomBytes } from "node:crypto";
import type { AdapterName } from "../gateway/adapter/adapter-name";
import type { GatewaySettings } from "../gateway/gateway-settings";
import type { Children } from "../process/children";
import type { Fault } from "./faults";
import { LoadClient } from "./load-client";
import type { Part } from "./plan";
import { type RunningServer, startGateways, startUpstream } from "./start-server";
import { Upstream } from "./upstream";
import { warmUp } from "./warm-up";

/** What the gateways of one adapter stand behind and before. */
export interface Lane {
  readonly upstream: Upstream;
  readonly load: LoadClient;
  readonly prober: LoadClient;
}

/** A part with what it runs on, started and warmed up. */
export interface ReadyPart extends Part, Lane {
  readonly servers: readonly RunningServer[];
}

/** How a run differs from the standard one. */
export interface RunOptions {
  readonly adapters: readonly [AdapterName, ...AdapterName[]];
  /** What is broken on purpose. */
  readonly fault: Fault;
  readonly store: GatewaySettings["store"];
}

/** Starts everything before any clock runs, because processes that start disturb a measurement. */
export async function setUp(
  children: Children,
  parts: readonly Part[],
  options: RunOptions,
): Promise<readonly ReadyPart[]> {
  // Nobody else's keys, and no old ones: they are left to expire.
  const run = randomBytes(4).toString("hex");
  const lanes = options.adapters.map((name) => {
    const own = parts.filter(({ lane }) => lane === name);
    return own.length === 0 ? [] : startLane(children, own, { ...options, run });
  });
  return (await Promise.all(lanes)).flat();
}

async function startLane(
  children: Children,
  parts: readonly Part[],
  { fault, store, run }: RunOptions & { readonly run: string },
): Promise<readonly ReadyPart[]> {
  const [server, load, prober] = await Promise.all([
    startUpstream(children),
    LoadClient.start(children),
    LoadClient.start(children),
  ]);
  const settingsOf = ({ scenario, lane, gateways }: Part) => {
    const prefix = `llm-gateway:${run}:${scenario.letter}:${lane}:`;
    const shared = { store, prefix, instances: gateways.length, upstreamPort: server.port };
    return gateways.map((each) => fault({ ...each, ...shared }));
  };
  const together = parts.filter(({ isApart }) => !isApart);
  const apart = parts.filter(({ isApart }) => isApart);
  const processes = [
    ...(together.length === 0 ? [] : [together.flatMap(settingsOf)]),
    ...apart.flatMap(settingsOf).map((settings) => [settings]),
  ];
  const started = await Promise.all(processes.map((each) => startGateways(children, each)));
  // Its code is what has to be warm, and that is one per process.
  for (const [first] of started) await warmUp(load, (first as RunningServer).port);
  const servers = started.flat();
  const lane: Lane = { upstream: new Upstream(server.port), load, prober };
  return [...together, ...apart].map((part) => {
    return { ...part, ...lane, servers: servers.splice(0, part.gateways.length) };
  });
}
