import type { GatewaySettings } from "../gateway/gateway-settings";
import type { LoadClient } from "./load-client";
import type { Row } from "./row";
import type { Upstream } from "./upstream";

/**
 * One run of traffic, judged. Scenarios a to f repeat public runs of the reference system; j and k
 * show what it does not do.
 */
export interface Scenario {
  readonly letter: string;
  readonly title: string;
  /** What is shorter or smaller here than in the run that it repeats. */
  readonly scale: string;
  /** A fresh gateway is started for each of these. */
  readonly gateways: readonly Partial<GatewaySettings>[];
  run(stage: Stage): Promise<Row[]>;
}

/** The processes that a scenario works with. */
export interface Stage {
  /** The ports of the scenario's gateways, in their order. */
  readonly ports: readonly number[];
  /** Behind all of them. Its record is clear when the scenario begins. */
  readonly upstream: Upstream;
  readonly load: LoadClient;
  /** A load client in a process of its own, so that load does not delay its clock. */
  readonly prober: LoadClient;
  /** Ends a gateway as a crash does (`kill -9`), by its place among the ports. */
  crash(place: number): Promise<void>;
}
