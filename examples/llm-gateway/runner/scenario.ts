import type { GatewaySettings } from "../gateway/gateway-settings";
import type { LoadClient } from "./load-client";
import type { Row } from "./row";
import type { Upstream } from "./upstream";

/** One public run of the reference system, repeated here and judged. */
export interface Scenario {
  readonly letter: string;
  readonly title: string;
  /** What is shorter or smaller here than in the run that it repeats. */
  readonly scale: string;
  run(stage: Stage): Promise<Row[]>;
}

/** The processes that a scenario works with. */
export interface Stage {
  /** Its record is cleared whenever a gateway has started. */
  readonly upstream: Upstream;
  readonly load: LoadClient;
  /** A load client in a process of its own, so that load does not delay its clock. */
  readonly prober: LoadClient;
  /** Starts a fresh gateway in front of the upstream, warms it up and resolves to its port. */
  startGateway(settings: Partial<GatewaySettings>): Promise<number>;
}
