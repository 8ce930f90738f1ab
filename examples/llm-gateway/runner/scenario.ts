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
  /**
   * Which of the chosen adapters its gateways are mounted through: each of them, at the same time
   * or (where load would be measured) in turn; the first one; or several at once, a gateway each.
   */
  readonly adapters: "side by side" | "in turn" | "first" | "mixed";
  /** A fresh gateway is started for each of these. */
  readonly gateways: readonly Partial<GatewaySettings>[];
  run(stage: Stage): Promise<Row[]>;
}

/** The processes that a scenario works with. */
export interface Stage {
  /** The ports of the scenario's gateways, in their order. */
  readonly ports: readonly number[];
  /** Behind all of them, and behind no others. Its record is clear when the scenario begins. */
  readonly upstream: Upstream;
  readonly load: LoadClient;
  /** A load client in a process of its own, so that load does not delay its clock. */
  readonly prober: LoadClient;
  /**
   * Ends the process of a gateway as a crash does (`kill -9`), by its place among the ports. For
   * scenarios of the first adapter or of mixed ones: each of their gateways has its own process.
   */
  crash(place: number): Promise<void>;
}
